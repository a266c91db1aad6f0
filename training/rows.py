"""Rows written by reading: the pages under `training/written/`, read into contexts, claims, answers and questions.

A page is plain text, one folder a kind of source, so that a second reader can check it line by line:

    @ med-1                        a context; its id is unique in the folder
    S: One passage on one line.    one line a passage
    P: {"grade": 11}               the person's profile, JSON (optional)
    C: What the person tells.      the person's own account of a case (optional)
    + reword/1: A true claim.      type, and the twin's number where it has one
    - number/1: A [[false]] claim. the shortest unsupported words in double brackets
    * A sentence that claims nothing.
    A terse: The question?         an answer's style and question; its sentences follow
    0 A true sentence.
    1 scope: A [[false]] sentence.
    * I hope this helps!
    ? a question for the search
    = An exact sentence of a passage that answers it.
    ~ An exact sentence that looks close and does not.

A page of the folder `asked` holds questions only, over contexts that stand in other folders (`@ desks:desks-49`); a
question without `=` is one that its context does not answer.

`python -m training.rows [FOLDER ...]` checks the pages and prints their balance.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

HERE = Path(__file__).parent / "written"
ASKED = "asked"
TRUE = {"reword", "number_form", "join", "infer", "negate", "summary", "quote"}
FALSE = {
    "number", "entity", "date", "unit", "negation", "comparator", "scope", "relation", "overclaim", "baseless",
    "mixture",
}  # fmt: skip
LINE = re.compile(r"(?P<mark>[+\-1]) (?P<type>[a-z_]+)(?:/(?P<twin>\w+))?: (?P<text>.+)")
NEGATION = re.compile(
    r"\b(?:not|no|never|none|nor|neither|without|cannot|nobody|nothing|\w+n't|nie|geen|ne|pas)\b", re.I
)


@dataclass(frozen=True, kw_only=True)
class Sentence:
    text: str
    label: int
    """1 = not supported, 0 = supported or silent."""
    type: str | None
    span: tuple[int, int] | None = None
    twin: str | None = None


@dataclass(frozen=True, kw_only=True)
class Answer:
    question: str
    style: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, kw_only=True)
class Question:
    text: str
    answers: tuple[str, ...]
    near: tuple[str, ...]


@dataclass(kw_only=True)
class Context:
    id: str
    kind: str
    sources: list[str] = field(default_factory=list)
    profile: str | None = None
    case: str | None = None
    claims: list[Sentence] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


class Malformed(ValueError):
    """A line of a page that cannot be read; says where and why."""


def read_folder(folder: Path) -> list[Context]:
    """All contexts of a kind, in the order of its pages."""
    found: list[Context] = []
    problems: list[str] = []
    for page in sorted(folder.glob("*.txt")):
        for block in blocks(page):
            try:
                found.append(read_context(block, kind=folder.name))
            except Malformed as wrong:
                problems.append(f"{page}: {wrong}")
    repeated = [name for name, count in Counter(each.id for each in found).items() if count > 1]
    problems += [f"{folder}: context {name!r} stands twice" for name in repeated]
    if problems:
        raise Malformed("\n".join(problems))
    return found


def read_all(root: Path = HERE) -> list[Context]:
    folders = [folder for folder in sorted(root.iterdir()) if folder.is_dir() and folder.name != ASKED]
    found = [each for folder in folders for each in read_folder(folder)]
    add_asked(root / ASKED, {each.id: each for each in found})
    return found


def add_asked(folder: Path, contexts: dict[str, Context]) -> None:
    """The questions of the folder's pages, each beside those its context has already."""
    problems: list[str] = []
    for page in sorted(folder.glob("*.txt")):
        for block in blocks(page):
            name = block[0][1].removeprefix("@ ").strip()
            if name not in contexts:
                problems.append(f"{page}: line {block[0][0]}: there is no context {name!r}")
                continue
            own = contexts[name]
            try:
                read = read_context(block, kind=own.kind, sources=own.sources)
            except Malformed as wrong:
                problems.append(f"{page}: {wrong}")
            else:
                own.questions += read.questions
    if problems:
        raise Malformed("\n".join(problems))


def blocks(page: Path) -> Iterator[list[tuple[int, str]]]:
    block: list[tuple[int, str]] = []
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        if line.startswith("@ ") and block:
            yield block
            block = []
        if line.strip() and not line.startswith("#"):
            block.append((number, line.rstrip()))
    if block:
        yield block


def read_context(block: list[tuple[int, str]], *, kind: str, sources: Iterable[str] = ()) -> Context:
    number, first = block[0]
    if not first.startswith("@ "):
        raise Malformed(f"line {number}: expected '@ id', found {first[:40]!r}")
    context = Context(id=f"{kind}:{first[2:].strip()}", kind=kind, sources=list(sources))
    answer: tuple[str, str, list[Sentence]] | None = None
    question: tuple[str, list[str], list[str]] | None = None

    def close() -> None:
        nonlocal answer, question
        if answer is not None:
            context.answers.append(Answer(question=answer[1], style=answer[0], sentences=tuple(answer[2])))
        if question is not None:
            context.questions.append(Question(text=question[0], answers=tuple(question[1]), near=tuple(question[2])))
        answer = question = None

    for number, line in block[1:]:
        try:
            if line.startswith("S: "):
                context.sources.append(line[3:].strip())
            elif line.startswith("P: "):
                context.profile = json.dumps(json.loads(line[3:]), ensure_ascii=False)
            elif line.startswith("C: "):
                context.case = line[3:].strip()
            elif line.startswith("A "):
                close()
                style, _, asked = line[2:].partition(": ")
                answer = (style.strip(), asked.strip(), [])
            elif line.startswith("? "):
                close()
                question = (line[2:].strip(), [], [])
            elif line[:2] in {"= ", "~ "} and question is not None:
                exact(line[2:].strip(), context)
                question[1 if line[0] == "=" else 2].append(line[2:].strip())
            elif line.startswith(("+ ", "- ")):
                close()
                context.claims.append(labelled(line, context))
            elif line.startswith("* "):
                silent = Sentence(text=line[2:].strip(), label=0, type="silent")
                (answer[2] if answer else context.claims).append(silent)
            elif line.startswith("0 ") and answer is not None:
                answer[2].append(Sentence(text=line[2:].strip(), label=0, type=None))
            elif line.startswith("1 ") and answer is not None:
                answer[2].append(labelled(line, context))
            else:
                raise Malformed(f"cannot be read here: {line[:60]!r}")
        except ValueError as wrong:
            raise Malformed(f"line {number}: {wrong}") from None
    close()
    if not context.sources:
        raise Malformed(f"line {block[0][0]}: {context.id} has no passage")
    return context


def labelled(line: str, context: Context) -> Sentence:
    parts = LINE.fullmatch(line)
    if parts is None:
        raise Malformed(f"expected 'type: text' or 'type/twin: text' after the mark: {line[:60]!r}")
    label = 0 if parts["mark"] == "+" else 1
    if parts["type"] not in (FALSE if label else TRUE):
        raise Malformed(f"type {parts['type']!r} does not fit label {label}")
    text, span = parts["text"].strip(), None
    if "[[" in text:
        before, _, rest = text.partition("[[")
        inside, closed, after = rest.partition("]]")
        if not closed or "[[" in after:
            raise Malformed(f"one pair of double brackets, please: {line[:60]!r}")
        text, span = before + inside + after, (len(before), len(before) + len(inside))
        if not label:
            raise Malformed(f"a true sentence has no unsupported words: {line[:60]!r}")
    twin = f"{context.id}/{parts['twin']}" if parts["twin"] else None
    return Sentence(text=text, label=label, type=parts["type"], span=span, twin=twin)


def exact(sentence: str, context: Context) -> None:
    if not any(sentence in source for source in context.sources):
        raise Malformed(f"stands in no passage, letter by letter: {sentence[:60]!r}")


def sentences(contexts: Iterable[Context]) -> Iterator[tuple[Context, Sentence]]:
    for context in contexts:
        for each in context.claims:
            yield context, each
        for answer in context.answers:
            for each in answer.sentences:
                yield context, each


def novelty(text: str, context: Context) -> float:
    """Share of a sentence's words that stand nowhere in its sources."""
    known = _known(" ".join([*context.sources, context.profile or "", context.case or ""]))
    own = words(text)
    return sum(word not in known for word in own) / len(own) if own else 0.0


@lru_cache(maxsize=16)
def _known(text: str) -> frozenset[str]:
    """The sentences of one context come one after the other."""
    return frozenset(words(text))


def words(text: str) -> list[str]:
    return [word[:6] for word in re.findall(r"\w+", text.lower()) if len(word) > 3 or word.isdigit()]


def auroc(scores: list[float], labels: list[int]) -> float:
    """Of a wrong and a right one, how often the wrong one scores higher; ties count half."""
    ordered = sorted(zip(scores, labels, strict=True))
    ranks: dict[float, list[int]] = defaultdict(list)
    for position, (score, _) in enumerate(ordered, 1):
        ranks[score].append(position)
    middle = {score: sum(places) / len(places) for score, places in ranks.items()}
    wrong = sum(labels)
    right = len(labels) - wrong
    if not wrong or not right:
        return float("nan")
    return (sum(middle[s] for s, label in ordered if label) - wrong * (wrong + 1) / 2) / (wrong * right)


def balance(contexts: list[Context]) -> dict[str, float]:
    """What a reader who looks at the words alone could know of the label."""
    rows = [(c, s) for c, s in sentences(contexts) if s.type != "silent"]
    by_label = {label: [s for _, s in rows if s.label == label] for label in (0, 1)}
    result: dict[str, float] = {
        "contexts": len(contexts),
        "claims": sum(len(c.claims) for c in contexts),
        "answer_sentences": sum(len(a.sentences) for c in contexts for a in c.answers),
        "questions": sum(len(c.questions) for c in contexts),
        "silent": sum(s.type == "silent" for _, s in sentences(contexts)),
        "share_false": len(by_label[1]) / max(1, len(rows)),
        "twins_of_false": sum(s.twin is not None for s in by_label[1]) / max(1, len(by_label[1])),
        "novelty_auroc": auroc([novelty(s.text, c) for c, s in rows], [s.label for _, s in rows]),
    }
    claims = [(c, s) for c in contexts for s in c.claims if s.type != "silent"]
    result["novelty_auroc_claims"] = auroc([novelty(s.text, c) for c, s in claims], [s.label for _, s in claims])
    for label, name in ((0, "true"), (1, "false")):
        own = by_label[label]
        result[f"negated_{name}"] = sum(bool(NEGATION.search(s.text)) for s in own) / max(1, len(own))
        result[f"words_{name}"] = sum(len(s.text.split()) for s in own) / max(1, len(own))
    return result


def sample(contexts: list[Context], share: float, seed: int = 0) -> str:
    """A random share of the rows with their passages, for a second reader."""
    rows = list(sentences(contexts))
    chosen = random.Random(seed).sample(rows, max(1, round(len(rows) * share)))
    by_context: dict[str, list[Sentence]] = defaultdict(list)
    for context, each in chosen:
        by_context[context.id].append(each)
    out = []
    for context in contexts:
        if context.id in by_context:
            out += [f"@ {context.id}", *(f"S: {s}" for s in context.sources)]
            out += [f"P: {context.profile}"] if context.profile else []
            out += [f"C: {context.case}"] if context.case else []
            out += [f"  label {s.label} {s.type or ''}: {s.text}" for s in by_context[context.id]]
    return "\n".join(out)


def folder_of(name: str) -> Path:
    """A folder by its path, or by its name among the written ones."""
    found = next((path for path in (Path(name), HERE / name) if any(path.glob("*.txt"))), None)
    if found is None:
        raise SystemExit(f"{name}: there is no such folder with pages, here or in {HERE.name}")
    return found


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--sample"]:
        print(sample(read_folder(folder_of(arguments[1])), float(arguments[2])))
        return 0
    folders = [folder_of(each) for each in arguments]
    if not folders:
        folders = [f for f in sorted(HERE.iterdir()) if f.is_dir() and f.name != ASKED]
    whole: list[Context] = []
    failed = 0
    for folder in folders:
        try:
            contexts = read_folder(folder)
        except Malformed as wrong:
            print(wrong, file=sys.stderr)
            failed = 1
            continue
        whole += contexts
        print(folder.name, {key: round(value, 3) for key, value in balance(contexts).items()})
    if len(folders) > 1:
        print("whole", {key: round(value, 3) for key, value in balance(whole).items()})
    if not arguments and not failed:
        add_asked(HERE / ASKED, {context.id: context for context in whole})
        questions = [each for context in whole for each in context.questions]
        print("questions", len(questions), "not answered", sum(not each.answers for each in questions))
    return failed


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
