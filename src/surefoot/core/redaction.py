"""Takes personal data out of texts and profiles, in linear time, and puts it back inside one request.

What is personal: South African ID numbers (also mistyped or split), card, bank account and passport numbers, phone
numbers, e-mail addresses, street and postal addresses, and names: those a profile gives and those by which a writer
introduces herself. Texts are looked at as a reader sees them: invisible characters, odd spaces and dashes, and letters
and digits in another dress hide nothing. Every pattern starts only at a boundary and never gives back what it took, so
a hostile text costs no more than its length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from surefoot.core.invisible import INVISIBLE
from surefoot.core.text import STOPWORDS
from surefoot.core.types import Json, Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Redaction:
    """A text without personal data, and what is needed to put it back."""

    text: str
    originals: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Placeholder to original. Lives as long as the request and is never stored."""

    def restore(self, text: str) -> str:
        """Puts the originals back into any text that carries the placeholders, such as a model's reply."""
        return _restored(text, self.originals)

    @property
    def changed(self) -> bool:
        return bool(self.originals)


def redact(text: str, names: Iterable[str] = ()) -> Redaction:
    """Replaces personal data by placeholders such as <PHONE_A>; the same original gets the same placeholder."""
    redactor = Redactor((*names, *introduced_names(text)))
    return Redaction(text=redactor.text(text), originals=redactor.originals)


def redact_profile(profile: Mapping[str, Json]) -> dict[str, Json]:
    """The profile without its names, ID numbers, phones, e-mails and addresses, wherever they stand in it."""
    return Redactor(profile_names(profile)).profile(profile)


def profile_names(profile: Mapping[str, Json]) -> tuple[str, ...]:
    """Every name of a person that the profile's keys point out."""
    return tuple(dict.fromkeys(_names_in(profile, inside_name=False)))


def introduced_names(text: str) -> tuple[str, ...]:
    """Names a person gives in the text itself: `my name is …`, `I am Thandi Nkosi, …`."""
    text, _ = _seen(text)
    if _INTRODUCING.isdisjoint(_vocabulary(text)) and "I, " not in text:
        return ()
    found = [match.group("name") for pattern in _INTRODUCTIONS for match in pattern.finditer(text)]
    found += [name for match in _LOWER_INTRODUCTION.finditer(text) if (name := _lower_name(match))]
    return tuple(dict.fromkeys(name for name in found if name.split()[0] not in _NO_NAME))


def _lower_name(match: re.Match[str]) -> str:
    """The words up to the first that is no name; after the weak words only where they are all that is said."""
    words: list[str] = []
    for word in match.group("name").split():
        if word.casefold() in _NEVER_NAMES or word.casefold().endswith(_NO_NAME_ENDINGS):
            break
        words.append(word)
    whole = len(words) == len(match.group("name").split())
    return " ".join(words) if words and (whole or not match.group("weak")) else ""


class Redactor:
    """Redacts many texts of one request consistently. Not for sharing between requests."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.originals: dict[str, str] = {}
        self._placeholders: dict[tuple[str, str], str] = {}
        self._used: dict[str, int] = {}
        self._names = _name_table(names)
        self._known: dict[str, str] = {}

    def text(self, text: str) -> str:
        """A request says many things more than once: each text is read once."""
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._redacted(text)
        return known

    def _redacted(self, text: str) -> str:
        pieces, last = [], 0
        for start, end, kind in _personal(text, self._names):
            pieces += [text[last:start], self._placeholder(kind, text[start:end])]
            last = end
        return "".join([*pieces, text[last:]]) if last else text

    def restore(self, text: str) -> str:
        """Puts the originals back into a text that carries our placeholders."""
        return _restored(text, self.originals)

    def json(self, value: Json) -> Json:
        """The same value with every string in it redacted, keys included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.json(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.json(item) for item in value]
        return value

    def profile(self, profile: Mapping[str, Json]) -> dict[str, Json]:
        kept = {}
        for key, value in profile.items():
            if not _is_personal_key(key):
                kept[self.text(str(key))] = self._profile_value(value)
        return kept

    def _profile_value(self, value: Json) -> Json:
        if isinstance(value, Mapping):
            return self.profile(value)
        if isinstance(value, list | tuple):
            return [self._profile_value(item) for item in value]
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 100_000_000:
            redacted = self.text(str(value))
            return value if redacted == str(value) else redacted
        return self.text(value) if isinstance(value, str) else value

    def _placeholder(self, kind: str, original: str) -> str:
        key = (kind, " ".join(original.casefold().split()))
        if key not in self._placeholders:
            number = self._used.get(kind, 0)
            self._used[kind] = number + 1
            self._placeholders[key] = f"<{kind}_{_letters(number)}>"
            self.originals[self._placeholders[key]] = original
        return self._placeholders[key]


def _restored(text: str, originals: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: originals.get(match.group(), match.group()), text)


NameTable = Mapping[str, tuple[tuple[str, ...], ...]]


def _personal(text: str, names: NameTable) -> list[tuple[int, int, str]]:
    """Non-overlapping spans in order; where two kinds claim a place, the one found first in this list has it."""
    seen, places = _seen(text)
    found = _visibly_personal(seen, names)
    return found if places is None else [(places[start], places[end - 1] + 1, kind) for start, end, kind in found]


def _seen(text: str) -> tuple[str, Sequence[int] | None]:
    """The text as a reader sees it, and where each of its characters stands; None: where it stood."""
    if text.isascii():
        return text, None
    plain = text.translate(_ALIKE)
    if INVISIBLE.search(plain) is None:
        return plain, None
    places = [at for at, char in enumerate(plain) if not INVISIBLE.match(char)]
    return "".join(plain[at] for at in places), places


class _Alike(dict[int, str]):
    """One character for one: a plain space for every space, a hyphen for every dash, ASCII for what only dresses it."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kind, digit = unicodedata.category(char), unicodedata.digit(char, None)
        plain = unicodedata.normalize("NFKC", char)
        if kind == "Zs":
            char = " "
        elif kind == "Pd" or char == "\u2212":
            char = "-"
        elif digit is not None:
            char = str(digit)
        elif len(plain) == 1 and plain.isascii():
            char = plain
        self[code] = char
        return char


def _visibly_personal(text: str, names: NameTable) -> list[tuple[int, int, str]]:
    taken: list[tuple[int, int, str]] = []
    folded = text.casefold()
    if "@" in text:
        taken += [(*match.span(), "EMAIL") for match in _EMAIL.finditer(text)]
    if any(sign in folded for sign in _AT_SIGNS):
        taken += [(*match.span(), "EMAIL") for match in _SPELLED_EMAIL.finditer(text)]
    if _DIGIT.search(text) is not None:
        if _MANY_DIGITS.match(text) is not None:
            taken += [(*match.span(1), "ID") for match in _ID.finditer(text) if _is_id(match.group(1))]
            taken += [(*match.span(1), "ID") for match in _SPLIT_ID.finditer(text) if _is_whole_id(match.group(1))]
            for pattern in (_CARD, _SPLIT_CARD):
                taken += [(*match.span(), "CARD") for match in pattern.finditer(text) if _is_card(match.group())]
        taken += [(*match.span(), "BANK") for match in _IBAN.finditer(text) if _is_iban(match.group())]
        for word, pattern, kind in _NAMED_NUMBERS:
            if any(said in folded for said in word):
                taken += [(*match.span("number"), kind) for match in pattern.finditer(text)]
        taken += [(*match.span(), "PHONE") for match in _PHONE.finditer(text) if _is_phone(match.group())]
        taken += [(*match.span(), "PHONE") for match in _OTHER_PHONE.finditer(text)]
        if not _STREETS.isdisjoint(_vocabulary(text)):
            taken += [(*match.span(), "ADDRESS") for match in _ADDRESS.finditer(text) if _is_address(match)]
        if any(word in folded for word in _BOXES):
            taken += [(*match.span(), "ADDRESS") for match in _POSTBOX.finditer(text)]
    if any(first in folded for first in names):
        taken += [(start, end, "NAME") for start, end in _name_spans(text, names)]
    return _without_overlaps(taken) if taken else taken


def _vocabulary(text: str) -> set[str]:
    """Every run of letters, folded: a cheap look before a dear pattern. It may hold more than the pattern would see."""
    folded = text.casefold()
    if not folded.isascii():  # patterns that ignore case take these for a plain i
        folded = folded.replace("\u0307", "").replace("\u0131", "i")
    return set(_LETTERS.findall(folded))


def _without_overlaps(found: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    kept: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(found, key=lambda item: (item[0], -item[1])):
        if kept and start < kept[-1][1]:
            # Two kinds overlap: the later one's tail is personal too, so the span grows and nothing leaks.
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]), kept[-1][2])
        else:
            kept.append((start, end, kind))
    return kept


def _is_id(text: str) -> bool:
    """YYMMDD, four digits, citizenship 0-2, two more. The check digit may be wrong: a typing error hides nobody."""
    digits = [int(char) for char in text if char.isdigit()]
    month, day = digits[2] * 10 + digits[3], digits[4] * 10 + digits[5]
    return 1 <= month <= 12 and 1 <= day <= 31 and digits[10] <= 2


def _is_whole_id(text: str) -> bool:
    """With its check digit, because whatever stands between the digits here may part numbers of a list."""
    return _is_id(text) and _luhn([int(char) for char in text if char.isdigit()])


def _is_card(text: str) -> bool:
    digits = [int(char) for char in text if char.isdigit()]
    return 14 <= len(digits) <= 19 and 2 <= digits[0] <= 6 and _luhn(digits)


def _is_iban(text: str) -> bool:
    plain = "".join(text.replace("-", " ").split()).upper()
    moved = plain[4:] + plain[:4]
    return 15 <= len(plain) <= 34 and int("".join(str(int(char, 36)) for char in moved)) % 97 == 1


def _luhn(digits: list[int]) -> bool:
    doubled = [d if place % 2 == 0 else (d * 2 - 9 if d > 4 else d * 2) for place, d in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def _is_phone(text: str) -> bool:
    if _DATE.match(text):
        return False
    digits = sum(char.isdigit() for char in text)
    if text.startswith("+") or text.startswith("00"):
        return 9 <= digits <= 15
    return 9 <= digits <= 10


def _is_address(match: re.Match[str]) -> bool:
    """Lower-case wording such as `5 minutes down the road` is no address."""
    words = match.group("words").split()
    return all(word[0].isupper() for word in words) or not any(word.lower() in _NO_STREET for word in words)


def _name_spans(text: str, names: NameTable) -> list[Span]:
    tokens = list(_NAME_WORD.finditer(text))
    folded = [token.group().casefold() for token in tokens]
    found: list[Span] = []
    at = 0
    while at < len(tokens):
        length = _name_length(names.get(folded[at], ()), folded, at, tokens[at].group())
        if length:
            found.append((tokens[at].start(), tokens[at + length - 1].end()))
        at += length or 1
    return found


def _name_length(candidates: tuple[tuple[str, ...], ...], folded: list[str], at: int, written: str) -> int:
    for words in candidates:
        if tuple(folded[at : at + len(words)]) == words:
            # `Will` is a name, `will` is a verb.
            common = len(words) == 1 and words[0] in STOPWORDS
            return 0 if common and not written[0].isupper() else len(words)
    return 0


def _name_table(names: Iterable[str]) -> NameTable:
    """Whole names and their parts by first word, longest first."""
    table: dict[str, set[tuple[str, ...]]] = {}
    for name in names:
        words = tuple(match.group().casefold() for match in _NAME_WORD.finditer(_seen(name)[0]))
        parts = [(word,) for word in words if len(word) > 1 and word not in _PARTICLES]
        for entry in [words, *parts] if words else []:
            table.setdefault(entry[0], set()).add(entry)
    return {first: tuple(sorted(entries, key=lambda e: (-len(e), e))) for first, entries in table.items()}


def _names_in(value: Json | Mapping[str, Json], *, inside_name: bool) -> Iterable[str]:
    if isinstance(value, str):
        if inside_name and value.strip():
            yield value.strip()
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _names_in(item, inside_name=inside_name or _is_name_key(key))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _names_in(item, inside_name=inside_name)


def _is_name_key(key: str) -> bool:
    plain = _NOT_LETTER.sub("", str(key).lower())
    if plain in _NAME_KEYS:
        return True
    return plain.endswith("name") and not plain.startswith(_THING_KEYS)


def _is_personal_key(key: str) -> bool:
    plain = _NOT_LETTER.sub("", str(key).lower())
    return _is_name_key(key) or plain in _PERSONAL_KEYS or plain.endswith(_PERSONAL_ENDINGS)


def _letters(number: int) -> str:
    """0 is A, 25 is Z, 26 is AA: no digit, so that no value check mistakes a placeholder for a number."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


_PLACEHOLDER = re.compile(r"<(?:NAME|ID|CARD|BANK|PASSPORT|PHONE|EMAIL|ADDRESS)_[A-Z]{1,6}>")
_ALIKE = _Alike()
_DIGIT = re.compile(r"\d")
_MANY_DIGITS = re.compile(r"(?:\D*+\d){13}")
"""As many as the shortest of the long numbers has."""
_AT_SIGNS = ("@", "(at", "[at", "{at", "( at", "[ at", "{ at", " dot ")
# Each begins with the character it looks for and looks behind that: the engine then leaps from one to the next.
_EMAIL = re.compile(r"[\w.%+'-](?<![\w.%+'-].)[\w.%+'-]*+@[\w-]{1,63}+(?:\.[\w-]{1,63}+){1,8}+")
_SPELLED_EMAIL = re.compile(
    r"[\w.%+'-](?<![\w.%+'-].)[\w.%+'-]{0,63}+ ?"
    r"(?:[(\[{] ?at ?[)\]}]|@| at (?=[\w-]+ dot (?:com|org|net|edu|gov|ac|co)\b)) ?"
    r"[\w-]{1,63}+(?:(?:\.| ?[(\[{] ?dot ?[)\]}] ?| dot )[A-Za-z][\w-]{1,62}+){1,8}+",
    re.IGNORECASE,
)
"""As people write one that machines should not find: `name (at) place (dot) com`."""
# Looks ahead without taking, because a number before it may begin what only looks like one.
_ID = re.compile(r"(?=(\d(?<!\d\d)(?<!\d\.\d)(?:[ \t./\\_-]{0,2}\d){12})(?!\d)(?!\.\d))\d")
_SPLIT_ID = re.compile(r"(?=(\d(?<!\d\d)(?<!\d\.\d)(?:(?:[^\w<>%]|_){0,4}+\d){12})(?!\d)(?!\.\d))\d")
_CARD = re.compile(r"\d(?<!\d\d)(?<!\d\.\d)(?:[ -]?\d){13,18}(?!\d)(?!\.\d)")
_SPLIT_CARD = re.compile(
    r"\d(?<!\d\d)(?:\d{3}(?:(?:[^\w<>%]|_){1,3}\d{4}){2}(?:[^\w<>%]|_){1,3}\d{2,7}"
    r"|\d{3}(?:[^\w<>%]|_){1,3}\d{6}(?:[^\w<>%]|_){1,3}\d{5})(?!\d)(?!\.\d)"
)
"""In the groups that stand on a card, whatever is between them."""
_IBAN = re.compile(r"\b[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,3})?\b")
_NAMED_NUMBERS = (
    (
        ("acc", "a/c", "rek", "bank"),
        re.compile(
            r"\b(?:(?:bank|savings|cheque|current)\s)?(?:account|acct?|a/c|rekening|bank)(?:number|nommer|nr|no)?\b"
            r"[^\d<>]{0,24}(?P<number>\d(?:[ -]?\d){5,15})(?!\d)",
            re.IGNORECASE,
        ),
        "BANK",
    ),
    (
        ("passport", "paspoort"),
        re.compile(
            r"\bpas(?:s|)po(?:o|)rt\b[^\d<>\n]{0,20}?(?P<number>\b[a-z]{0,2}\d(?:[ -]?\d){5,8})(?!\w)", re.IGNORECASE
        ),
        "PASSPORT",
    ),
)
"""Numbers without a shape of their own: known by the word before them."""
_PHONE = re.compile(
    r"[+0(](?<![^\W_].)(?<!\d\..)(?:"
    r"(?:(?<=\+)|(?<=0)0(?=[1-9]))\d{1,3}(?:[ .\-/_]?\(?\d{1,4}\)?){2,6}(?![^\W_])(?!\.\d)"
    r"|(?:(?<=0)|(?<=\()0)\d{1,4}\)?(?:[ .\-/_]?\d{2,5}){1,4}(?![^\W_])(?!\.\d))"
)
_OTHER_PHONE = re.compile(
    r"\d(?<!\d\d)(?<!\d[ .\-/_]\d)(?:(?<=0)(?:[ .\-/_]\d){9}(?![ .\-/_]?\d)|(?<=2)7[6-8]\d{8}(?!\d)(?!\.\d))"
)
"""Digit by digit, or with the country's number and no sign before it."""
_STREETS = frozenset(
    "street st road rd avenue ave drive dr lane ln crescent cres close boulevard blvd way court terrace place "
    "straat weg laan rylaan singel extension".split()
)
_STREET = "(?:" + "|".join(sorted(_STREETS, key=lambda word: (-len(word), word))) + ")"
_ADDRESS = re.compile(
    r"(?<![^\W_])(?:(?:unit|flat|apartment|no|house|stand|erf)\.?\s{1,2})?\d{1,5}[a-z]?,?\s{1,2}"
    r"(?P<words>(?:[^\W\d_][\w'’.-]{0,30}\s{1,2}){1,4}?)" + _STREET + r"\b\.?"
    r"(?:,\s{0,2}[^\W\d_][\w'’-]{1,30}(?:[ ][A-Z][\w'’-]{1,30}){0,3}){0,3}(?:,?\s{1,2}\d{4}(?!\d))?",
    re.IGNORECASE,
)
_DATE = re.compile(r"[0-3]?\d([./-])[01]?\d\1\d{4}\b")
_BOXES = ("box", "bag", "posbus")
_POSTBOX = re.compile(r"\b(?:p\.?\s?o\.?\s?box|private bag|posbus)\s{1,2}[a-z]?\s?\d{1,6}", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")
_NAME_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MY_NAME = r"my\s(?:full |first |last )?(?:name|surname|naam)(?:\sis:?|'s|’s|:)"
_DRESS = r"\s{1,3}(?:[\"'“‘*_(]|<\w{1,6}>){0,3}"
"""What may stand around a name: quotes, stress, a tag."""
_NAME = r"[A-ZÀ-ÖØ-ÞĀ-Ž][\w'’-]{1,30}(?: (?:[A-ZÀ-ÖØ-ÞĀ-Ž][\w'’-]{1,30}|van|der|de|du)){0,3}"
_INTRODUCTIONS = (
    re.compile(
        rf"\b(?i:{_MY_NAME}|i am called|call me|je m['’]appelle|regards,|(?P<weak>my name|i am|i['’]m|ek is)){_DRESS}"
        rf"(?P<name>{_NAME})(?(weak)(?=\s{{0,2}}[,.;!]| and | from |$))"
    ),
    re.compile(
        rf"\b(?i:regards|sincerely|faithfully|groete),?[ \t]{{0,2}}\n\s{{0,3}}(?P<name>{_NAME})[ \t.]{{0,2}}(?:\n|$)"
    ),
    re.compile(rf"\bI, (?P<name>{_NAME}), (?i:hereby|declare|confirm|agree|am|want|would|live|of)\b"),
)
_LOWER_INTRODUCTION = re.compile(
    rf"\b(?i:{_MY_NAME}|i am called|i go by|call me|je m['’]appelle|(?P<bare>my names?)|"
    rf"(?P<weak>i am|i['’]?m|ek is)){_DRESS}"
    r"(?P<name>[a-zß-öø-ÿ][a-zß-öø-ÿ'’-]{1,30}(?: [a-zß-öø-ÿ][a-zß-öø-ÿ'’-]{1,30}){0,2})"
    r"(?(weak)(?=,? (?:\d{1,2}\b|grade|gr |in grade|a grade|from [a-z]+\b|van [a-z]+\b)))"
    r"(?(bare)(?=\s{0,2}(?:[,.;!?\n]| and | from |$)))"
)
"""As people write on a phone. After `i am` only before an age, a grade or a place: else it is how one feels. After
`my name` alone only where the clause ends."""
_NEVER_NAMES = STOPWORDS | frozenset(
    "later back again tomorrow today tonight now asap please soon maybe anytime sometimes crazy anything whatever not "
    "spelled spelt written wrong missing listed important unknown happy sad sorry lost new old good bad sick late "
    "stuck struggling ready sure unsure currently still also only here there grade years turning almost about nearly "
    "busy free poor young tired scared worried confused".split()
)
_NO_NAME_ENDINGS = ("ing", "ed", "ly")
_INTRODUCING = frozenset(
    "name names naam surname call called appelle regards sincerely faithfully groete go am im m ek".split()
)
"""Every introduction holds one of these."""
_NO_NAME = frozenset(
    "South African Grade Zulu Xhosa Sotho Tswana Afrikaans English Black White Christian Muslim".split()
)
_NOT_LETTER = re.compile(r"[^a-z]")
_NO_STREET = STOPWORDS | frozenset(
    "minute minutes hour hours day days year years month months week weeks step steps km kilometres metres percent "
    "rand people students points ways one".split()
)
_PARTICLES = frozenset("de van der den du la le von da dos ka".split())
_NAME_KEYS = frozenset("name names surname surnames nickname initials naam van student learner parent guardian".split())
_THING_KEYS = tuple(
    "institution school university college course career subject pack program qualification field file source "
    "collection model domain host bursary funder province city town country sport hobby interest".split()
)
_PERSONAL_KEYS = frozenset(
    "id idno idnr idnumber identity identitynumber nationalid saidnumber said passport passportnumber phone "
    "phonenumber mobile mobilenumber cell cellphone cellnumber telephone tel whatsapp whatsappnumber fax email "
    "emailaddress mail address homeaddress streetaddress postaladdress physicaladdress street dob dateofbirth "
    "birthdate birthday sessionid userid studentid learnerid studentnumber username".split()
)
_PERSONAL_ENDINGS = ("email", "phone", "address", "idnumber", "cellnumber", "phonenumber")
