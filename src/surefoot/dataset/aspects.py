"""Aspects: the themes of a corpus, one per session."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence

from surefoot.core.text import content_words, sentences, squash
from surefoot.core.types import Document, Json
from surefoot.dataset.agents import Agents
from surefoot.dataset.corpus import Corpus, sample, title_of
from surefoot.dataset.duplicates import SeenQuestions
from surefoot.dataset.pair import Aspect
from surefoot.dataset.prompt import inert

SCHEMA: dict[str, Json] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["aspects"],
    "properties": {"aspects": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 3}}},
}
_EXCERPT = 1500
_PER_CALL = 5
_NAVIGATION = re.compile(
    r"^(?:most (?:read|viewed|popular|shared)|read (?:more|next)|more (?:on|from|in|about|stories|news|information)|"
    r"(?:you )?(?:may|might) (?:also )?like|related|see also|further (?:reading|information)|"
    r"share (?:this|on)|follow us|"
    r"sign (?:up|in)|log ?in|subscribe|newsletter|contact(?: us)?|about (?:us|this (?:site|page))|cookies?|privacy|"
    r"terms (?:of use|and conditions)|menu|navigation|search|home|sitemap|site map|skip to|on this page|contents|"
    r"table of contents|breadcrumbs?|you are here|latest (?:news|stories)|trending|popular|advertisement|sponsored|"
    r"comments|tags|categories|back to top|print this|download|feedback|help us improve|quick links|useful links)\b",
    re.I,
)


async def find_aspects(agents: Agents, corpus: Corpus, count: int, given: Sequence[str] = ()) -> list[Aspect]:
    """The given aspects first, then found ones, no two alike, until there are `count` or the corpus has no more."""
    seen = SeenQuestions(threshold=0.75)
    found: list[Aspect] = []
    _add(found, seen, [Aspect(text=text.strip(), given=True) for text in given if text.strip()])
    if len(found) >= count:
        return found
    if agents.has("question"):
        await _ask(agents, corpus, count, found, seen)
    _add(found, seen, headings(corpus), most=count)
    return found


async def _ask(agents: Agents, corpus: Corpus, count: int, found: list[Aspect], seen: SeenQuestions) -> None:
    """One call per sample document, in order: each is told what is already there, so the journal can replay it."""
    documents = sample(corpus.documents, max(count, 1))
    for document in documents:
        missing = count - len(found)
        if missing <= 0:
            return
        wanted = min(_PER_CALL, -(-missing // max(1, len(documents))) + 1)
        values = {
            "documents": f"<DOCUMENT>\n{inert(document.text[:_EXCERPT])}\n</DOCUMENT>",
            "avoid": "\n".join(f"- {inert(one.text)}" for one in found) or "- (none)",
            "count": str(wanted),
        }
        reply, _ = await agents.say("question", "aspects", values, step="aspects", schema=SCHEMA)
        named = [" ".join(str(text).split()) for text in json.loads(reply.text)["aspects"]]
        _add(found, seen, [Aspect(text=text, home=document.source) for text in named], most=count)


def headings(corpus: Corpus) -> list[Aspect]:
    """Themes without a model: titles of documents first, spread over the corpus, then their headings."""
    documents = list(corpus.documents)
    order = sample(documents, len(documents))
    titles = [Aspect(text=title_of(one), home=one.source) for one in order]
    counts = Counter(squash(aspect.text) for aspect in titles)
    unique = [
        aspect
        for aspect in titles
        if counts[squash(aspect.text)] == 1 and content_words(aspect.text) and not is_navigation(aspect.text)
    ]
    inner = [Aspect(text=f"{title_of(one)}: {text}", home=one.source) for one in order for text in _headings(one)]
    return unique + inner


def _headings(document: Document) -> list[str]:
    texts = [one.text.lstrip("# ").strip() for one in sentences(document.text) if one.kind == "heading"]
    plain = [re.sub(r"[*_`\[\]]", "", text) for text in texts[1:]]
    return [text for text in plain if len(content_words(text)) >= 2 and not is_navigation(text)]


def is_navigation(text: str) -> bool:
    """A heading that leads elsewhere on a site and says nothing of its page: "Most read in News", "Related links"."""
    return _NAVIGATION.search(text) is not None


def _add(found: list[Aspect], seen: SeenQuestions, more: Sequence[Aspect], *, most: int | None = None) -> None:
    for aspect in more:
        if most is not None and len(found) >= most:
            return
        if seen.repeats(aspect.text) is None:
            seen.add(aspect.text)
            found.append(aspect)
