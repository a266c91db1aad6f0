"""What kind of answer a question asks for, and whether a text holds one of that kind."""

from __future__ import annotations

import re
from enum import StrEnum

from surefoot.core.questions import asking
from surefoot.core.text import fold, words


class Kind(StrEnum):
    PERSON = "who"
    TIME = "when"
    DURATION = "how long"
    COUNT = "how many"
    MONEY = "how much"
    QUANTITY = "what size"
    """A weight, a length, a speed, an age, a share: a number with whatever unit."""
    PLACE = "where"
    REASON = "why"
    STEPS = "steps"
    LIST = "list"
    COMPARISON = "compare"
    SUPERLATIVE = "superlative"
    YES_NO = "yes/no"
    OTHER = "what"


def kind_of(question: str) -> Kind:
    """The first pattern that fits; a question nobody knows the kind of is a plain `what`."""
    asked = " ".join(fold(asking(question)).split())
    return next((kind for kind, pattern in _ASKED if pattern.search(asked)), Kind.OTHER)


def holds(kind: Kind, text: str, *, question: str = "") -> bool | None:
    """Whether a text has what the kind asks for; None where looks do not tell.

    A name or a number the question gives itself is no answer to it.
    """
    plain, asked = fold(text), frozenset(words(question))
    if kind is Kind.PERSON:
        return True if any(name not in asked for name in names(text)) else _perhaps(_ROLE.search(plain))
    if kind is Kind.MONEY:
        return True if _AMOUNT.search(plain) else _perhaps(_NUMBER.search(plain))
    if kind is Kind.REASON:
        return True if _BECAUSE.search(plain) else _perhaps(_REASONING.search(plain))
    plain = _FIELD.sub(r"\1: \2 \1", _without(plain, asked))
    if kind is Kind.TIME:
        return _timed(plain, fold(question))
    if kind is Kind.DURATION:
        return _SPAN.search(plain) is not None or _perhaps(_EXTENT.search(plain))
    if kind is Kind.QUANTITY:
        return _measured(plain, fold(question))
    if kind is Kind.COUNT:
        return _counted(plain, fold(question))
    return None


def measured(question: str, text: str) -> bool | None:
    """Whether a text gives the measure that a comparison is about; None where the measure is not known."""
    plain = _FIELD.sub(r"\1: \2 \1", fold(text))
    if re.search(r"\b(?:cheap|dear|expensive|cost)", fold(question)):
        return _AMOUNT.search(plain) is not None
    return _measured(plain, fold(question))


def _perhaps(found: object) -> bool | None:
    return None if found else False


def _timed(plain: str, asked: str) -> bool | None:
    """A day for "which day", a year for "which year", a date for "when did": other times are none of these."""
    exact = next((times for word, times in _TIMES if word.search(asked)), None)
    if exact is not None:
        return exact.search(plain) is not None
    return True if _WHEN.search(plain) else _perhaps(_SOME_TIME.search(plain))


def _measured(plain: str, asked: str) -> bool | None:
    """A number with a unit of what is asked for; a plain number may do where the unit is not known."""
    if not _NUMBER.search(plain):
        return False
    unit = next((unit for word, unit in _MEASURES if word.search(asked)), None)
    return None if unit is None else unit.search(plain) is not None


def _counted(plain: str, asked: str) -> bool | None:
    """A number right before what is counted; any other number may be one."""
    if not _NUMBER.search(plain):
        return False
    match = _COUNTED.search(asked)
    nouns = [word[:5] for word in match.group(1).split() if len(word) > 3] if match else []
    near = [rf"(?:\d|\b{_NUMERALS}\b)[\w.,]*(?:[ -][\w-]+){{0,3}}? {re.escape(noun)}" for noun in nouns]
    if any(re.search(pattern, plain) for pattern in near):
        return True
    # a year counts nothing
    return _perhaps(_NUMBER.search(re.sub(r"\b(?:1[5-9]|20)\d\d\b", " ", plain)))


def _without(plain: str, asked: frozenset[str]) -> str:
    """The text without the numbers the question gives: "a CX250" answers no "how many"."""
    for word in [word for word in asked if any(map(str.isdigit, word))]:
        plain = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", " ", plain)
    return plain


def names(text: str) -> list[str]:
    """Capitalised words that do not open their sentence, and opening ones that a second one follows."""
    found = re.findall(r"(?<![.!?:;] )(?<!^)\b([A-Z][a-z'’-]+)\b", text)
    found += re.findall(r"(?:^|[.!?:;] )([A-Z][a-z'’-]+ [A-Z][a-z'’-]+)\b", text)
    return [part for name in found for part in words(name)]


_NUMERALS = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    r"eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|half|none|no|single|"
    r"once|twice|a couple|dozen|both)"
)
_UNIT = r"(?:seconds?|minutes?|mins?|hours?|nights?|days?|weeks?|fortnights?|months?|quarters?|years?|terms?)"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
_DAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|tue|wed|thu|fri|sat|sun)(?!\w))"
_CLOCK = r"\b(?:[01]?\d|2[0-4])[.:][0-5]\d\b(?!\s?(?:%|[a-z£€$]{1,3}\b))"
"""14.00 as much as 14:00; 2.40 m and 3.50 € are none."""
_YEAR = r"\b(?:1[5-9]|20)\d\d(?:s\b|\b)"
_NUMBER = re.compile(rf"\d|\b{_NUMERALS}\b")
_SHORT_UNIT = r"(?:mm|cm|dm|m|km|ft|in|mi|kg|g|mg|t|lbs?|oz|st|ml|cl|l|gbp|eur|usd|zar|chf)"
_FIELD = re.compile(
    rf"\b(?!(?!{_SHORT_UNIT}\b)[a-z]{{1,3}}\)?: \d?\d\.\d\d(?!\d))([a-z]+)\)?: (\d[\d.,]*?)(?=;|\.?$)", re.MULTILINE
)
"""A column that ends with its unit, or with what it counts: `Weight t: 78` is 78 t, and `Bus A: 7.05` stays a time."""
_SPAN = re.compile(
    rf"(?:\d|\b{_NUMERALS}\b|\ban?\b|\bhalf an?\b)[\w\s,-]{{0,24}}?\b{_UNIT}\b|\b{_UNIT}\b|\bfor life\b|\bpermanent|"
    r"\buntil\b|\bovernight\b|\bforever\b|\bas long as\b|\bno limit\b|\d\s?(?:h|hrs?|min)\b|"
    rf"\bto (?:the end|{_YEAR})|\bfrom\b.*\bto\b"
)
_EXTENT = re.compile(
    r"\b(?:pages?|words?|characters?|lines?|letters?|metres?|meters?|feet|miles?|km/h|mph|knots?)\b|\d\s?(?:mm|cm|m|km)\b"
)
"""What "how long" and "how fast" are answered by where no time is meant."""
_WHEN = re.compile(
    rf"{_YEAR}|{_CLOCK}|\b{_MONTH}\b|\b{_DAY}|\b\d{{1,2}}(?::\d\d)?\s?(?:am|pm|a\.m\.|p\.m\.|o'clock)\b|"
    r"\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:first|second|third|fourth|fifth|sixth|seventh|tenth|last)\b|"
    rf"(?:\d|\b{_NUMERALS}\b)[\w\s-]{{0,20}}?\b{_UNIT}\b|\b(?:noon|midnight|midday|weekdays?|weekends?|daily|"
    r"weekly|monthly|yearly|annually|immediately|at once|spring|summer|autumn|winter|christmas|easter)\b"
)
_SOME_TIME = re.compile(
    rf"\b(?:at|by|from|to|till) (?:\d{{1,2}}|{_NUMERALS})\b|"  # an hour without its minutes, or another number
    rf"\b(?:today|tomorrow|before|after|until|since|within|every|as soon as|when|once|during|always|never|{_UNIT})\b"
)
_AMOUNT = re.compile(
    r"[£$€¥]\s?\d|\b(?:r|eur|usd|gbp|zar|chf)\s?\d|\d\s?(?:p|c)\b|\d[\d.,]*\s?(?:%|percent\b|"
    r"per cent\b|euros?|pounds?|"
    r"dollars?|rand|pence|cents?|eur|usd|gbp|francs?|kronor|yen|zloty)|\bfree\b|\bno charge\b|\bwithout charge\b|"
    r"\bcosts? nothing\b|\bnothing\b|\b(?:half|twice|double|full|times) (?:of )?(?:the|its|your|their|"
    r"price|pay|salary|"
    r"hourly|fare|cost)|\bone and a half\b|\bincluded\b|\bpence\b|\bpercent\b|\bunpaid\b"
)
_BECAUSE = re.compile(
    r"\b(?:because|so that|so as|due to|owing to|thanks to|in order|as a result|therefore|reasons?|"
    r"caused? by|causes?|"
    r"to (?:avoid|prevent|protect|ensure|reduce|stop)|otherwise|for safety|(?:that|this|which) is why|means that|"
    r"leads? to|by law|for (?:the sake|fear) of)\b"
)
_REASONING = re.compile(r"\b(?:since|as|to (?:keep|make|help|allow|save|give|let)|would|could|can|so|when|for)\b|[:;]")
_ROLE = re.compile(
    r"\b(?:managers?|directors?|heads?|chairs?|chairman|chairwoman|officers?|owners?|founders?|"
    r"presidents?|ministers?|"
    r"secretar(?:y|ies)|committees?|boards?|councils?|teams?|departments?|nurses?|doctors?|vets?|surgeons?|teachers?|"
    r"parents?|employers?|employees?|staff|engineers?|lawyers?|solicitors?|courts?|judges?|agenc(?:y|"
    r"ies)|authorit\w+|"
    r"inspectors?|leaders?|members?|adults?|children|persons?|people|clients?|customers?|anyone|everyone|nobody|"
    r"everybody|holders?|landlords?|tenants?|fitters?|mechanics?|company|desk|office|guides?|students?|residents?|"
    r"citizens?|workers?|service|applicants?|women|men|mothers?|fathers?|partners?)\b"
)
_MEASURES = tuple(
    (re.compile(asked), re.compile(unit))
    for asked, unit in (
        (
            r"\b(?:old|age)\b",
            rf"\b(?:years?|months?|weeks?|aged?|born|birthday|under|over|century|centuries)\b|{_YEAR}|"
            r"\b(?:from|at|until|till|to|is|are|between|below|above|turns?|least|most|than) "
            rf"(?:\d{{1,2}}|{_NUMERALS})\b",
        ),
        (r"\bhow far back\b", rf"\b{_UNIT}\b|{_YEAR}"),
        (
            r"\b(?:heav(?:y|ier)|lighter|weigh\w*)\b",
            r"\d\s?(?:kg|g|mg|t|lbs?|oz|stone)\b|\b(?:kilos?|grams?|tonnes?|tons?|pounds?)\b",
        ),
        (
            r"\b(?:tall|wide|deep|far|high|long|short)(?:er)?\b|\b(?:length|height|width|depth|distance)\b",
            r"\d\s?(?:mm|cm|m|km|ft|in|mi)\b|\b(?:feet|foot|miles?|met(?:re|er)s?|kilomet\w+|inch(?:es)?|yards?)\b",
        ),
        (r"\b(?:fast(?:er)?|slower|speed)\b", r"\b(?:km/h|mph|kmh|knots?|an hour|per hour|walking pace)\b"),
        (r"\b(?:hot|cold|temperature)\b", r"°|\bdegrees?\b"),
    )
)
_DATE = rf"{_YEAR}|\b{_MONTH}\b|\b\d{{1,2}}(?:st|nd|rd|th)\b|\bago\b|\byesterday\b|\bcentury\b"
_TIMES = tuple(
    (re.compile(asked), re.compile(times))
    for asked, times in (
        (r"\b(?:which|what) (?:week)?days?\b", rf"\b{_DAY}|{_DATE}|\bdays?\b|\bweekdays?\b|\bweekends?\b"),
        (r"\b(?:which|what) year\b", r"\b(?:1[5-9]|20)\d\d\b"),
        (r"\b(?:which|what) month\b", rf"\b{_MONTH}\b"),
        (r"\bwhat time\b", rf"\d\s?(?:am|pm|a\.m|p\.m)|\d:\d\d?|{_CLOCK}|\bo'clock\b|\bnoon\b|\bmidnight\b|\bat \d"),
        (
            r"\bhow often\b",
            rf"\b(?:every|each|daily|weekly|monthly|yearly|annually|once|twice|times|per|a|an)\b.*|{_DAY}",
        ),
        (r"\bwhen (?:did|was|were)\b", rf"{_DATE}|{_CLOCK}|\b{_DAY}|\b(?:spring|summer|autumn|winter)\b"),
    )
)
_COUNTED = re.compile(r"\b(?:how many|number of) ((?:[\w'-]+ ?){1,3})")
_NOUN_GAP = r"(?:[\w'-]+ ){0,3}"
_ASKED: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (
            Kind.SUPERLATIVE,
            r"^(?:which|what|who)\b.*\b(?:most|least|fewest|largest|biggest|smallest|highest|lowest|longest|shortest|"
            r"oldest|newest|youngest|earliest|latest|cheapest|dearest|heaviest|lightest|fastest|slowest|best|worst|"
            r"tallest|deepest|widest)\b",
        ),
        (
            Kind.COMPARISON,
            r"\b(?:compare|compared (?:with|to)|difference between|differ from|differs? from|versus|vs)\b|"
            r"\b(?:\w{3,}er|more \w+|less \w+) than\b|\b(?:which|what|who)\b.*\b\w{3,}er\b.*, .*\bor\b",
        ),
        (Kind.REASON, r"^(?:and |but |so )*(?:why|how come)\b"),
        (Kind.PERSON, r"^(?:and |but |so |to |by |with |for )*(?:who|whom|whose)\b"),
        (Kind.TIME, r"^(?:and |but |so |from |by |until |since )*when\b"),
        (Kind.PLACE, r"^(?:and |but |so |from )*where\b"),
        (
            Kind.YES_NO,
            r"^(?:and |but |so |then |since .*, |if .*, )?(?:is|are|was|were|do|does|did|can|could|"
            r"will|would|should|must|"
            r"may|has|have|had|am)\b",
        ),
        (
            Kind.STEPS,
            r"^(?:and )?how (?:do|can|should|must|would|to|does one|are|may)\b(?!.* (?:often|long|"
            r"many|much|paid|shown|"
            r"marked|charged|calculated)\b)|^what (?:all )?(?:do|should|must|can|does|shall) (?:i|we|you|one|a|"
            r"an|the|my|our|staff)"
            r"\b.* do\b|\bsteps?\b|\bprocedure\b|\bfrom start to finish\b|\bone thing after (?:the other|another)\b|"
            r"\bstages\b|\bwhat happens (?:if|when)\b|\bwhat (?:am i|"
            r"are we) (?:supposed )?to do\b",
        ),
        (
            Kind.DURATION,
            r"\bhow (?:long|quickly|fast|soon)\b(?!.*\b(?:is|are|was|were) the (?:wall|boat|river|"
            r"bridge|road|tunnel))|\bhow far (?:ahead|in advance|beforehand)\b|"
            r"\bhow (?:many|much) (?:\w+ )?(?:days?|weeks?|months?|years?|hours?|minutes?|notice|"
            r"time)\b|\bnotice period\b|"
            r"\b(?:duration|validity)\b",
        ),
        (Kind.COUNT, r"\bhow many\b"),
        (
            Kind.LIST,
            r"^what (?:does|do|did|will) (?!.*\bcosts?\b).*\b(?:include|cover|contain|consist of)\b|"
            r"^what(?:'s| is| are) (?:all )?(?:included|covered)\b",
        ),
        (
            Kind.MONEY,
            r"\bhow (?:expensive|dear)\b|\bhow much (?:is|are|was|will|would|for|to|money|extra|"
            r"do (?:i|we|you) (?:pay|owe|charge|"
            r"get)|(?:does|did|do|may|can|must|should) .*\b(?:cost|charge|pay|earn))\b|"
            r"\b(?:costs?|price|prices|priced|fees?|(?<!in )charges?|salary|wages?|earns?|rent|"
            r"deposit|fine|penalty|budget|"
            r"discount)\b|\bwhat (?:percentage|percent|share)\b|\bhow is \w+ paid\b|\b(?:mileage|hourly|pay) rate\b|"
            r"\bhow high is the\b|\bwhat(?:'s| is|s) the damage\b",
        ),
        (Kind.COUNT, r"\bwhat number of\b|\bnumber of\b"),
        (
            Kind.QUANTITY,
            r"\bhow (?:heavy|big|large|high|tall|wide|deep|far|old|hot|cold|strong|loud|large|steep|long)\b|"
            r"\bwhat (?:is the )?(?:weight|length|height|size|age|dose|dosage|speed|distance|depth|width|capacity|"
            r"temperature|range|speed limit|limit|minimum|maximum|amount)\b|\b(?:from|at) what age\b|\bhow much\b",
        ),
        (
            Kind.TIME,
            r"^(?:and |but |from |by |on |in |at |until |since )*(?:when\b|(?:which|what) (?:day|days|"
            r"date|year|month|time|"
            r"week|weekday)\b)|\b(?:what|which) (?:day|date|year|month|time)\b|\bhow (?:often|early|"
            r"late)\b|\bsince when\b|"
            r"\b(?:until|by|from) when\b|\bopening (?:hours|times)\b|\bdeadline\b|\bpayday\b|\bfrom which day\b",
        ),
        (Kind.REASON, r"\bwhy\b|\bwhat (?:is the )?(?:reason|cause)s?\b|\bhow come\b|\bwhat for\b"),
        (Kind.PERSON, r"\b(?:who|whom|whose)\b|\bwhich (?:person|people|manager|doctor|director|nurse)\b"),
        (Kind.PLACE, r"\bwhere\b|\bwhich (?:place|city|town|country|street|room|floor|address)\b"),
        (
            Kind.LIST,
            rf"^(?:please )?(?:list|name|give me a list)\b|\bwhat (?:are|were) (?:the|all|your|some)\b|"
            rf"^(?:which|what) {_NOUN_GAP}\w+s (?:do|does|are|can|have|must|were|need|is|should|may)\b|"
            r"\bwhat (?:stuff|things|papers|documents)\b|"
            r"^what (?:else )?(?:do|should|must|shall) (?:i|we|you|they|\w+s) (?:(?:need|have|want) to )?"
            r"(?:bring|pack|take along|take with)\b|"
            r"^what do (?:i|we|you|they|\w+s) need (?:for|to (?!know\b|pay\b|do\b))|"
            r"^what (?:did|has|have|was|were) (?:[\w'-]+ ){0,4}?(?:decided?|agreed?|resolved?)\b"
            r"(?! (?:about|for|to|with|regarding|on (?!\d)))|"
            r"\bwhat (?:does|do|is|are)\b.*\b(?:includes?|included|covers?|covered|contains?|"
            r"consist of|need to bring)\b",
        ),
    )
)
