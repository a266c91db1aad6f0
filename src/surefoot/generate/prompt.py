"""Prompts are files: a system part and a user part with {{placeholders}}, filled in one pass."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from surefoot.core.errors import ConfigError
from surefoot.core.hashing import sha256_text
from surefoot.core.types import DONT_KNOW, DraftTask, Json, Passage


@dataclass(frozen=True, kw_only=True, slots=True)
class Prompt:
    name: str
    system: str
    user: str
    hash: str
    """Of the file's text: part of every key of what was written with it."""

    def fill(self, values: Mapping[str, str]) -> tuple[str, str]:
        """System and user text. One pass: a placeholder inside a source or a question is left as it is.

        `{{#name}} ... {{/name}}` is kept only where the named value is not empty.
        """

        def keep(match: re.Match[str]) -> str:
            return match.group(2) if values.get(match.group(1)) else ""

        def put(match: re.Match[str]) -> str:
            try:
                return values[match.group(1)]
            except KeyError:
                known = ", ".join(sorted(values))
                raise ConfigError(
                    f"prompt {self.name!r}: unknown placeholder {match.group()!r}; known: {known}"
                ) from None

        parts = (_SECTION.sub(keep, part).strip() for part in (self.system, self.user))
        system, user = (_PLACEHOLDER.sub(put, part) for part in parts)
        return system, user


def load(name: str, overrides: Mapping[str, str] | None = None) -> Prompt:
    """The pack's own prompt of that name, else the one beside this file."""
    override = (overrides or {}).get(name)
    return parse(name, override) if override is not None else _shipped(name)


def parse(name: str, text: str) -> Prompt:
    parts = _PARTS.split(text)
    if len(parts) != 5 or [parts[1].lower(), parts[3].lower()] != ["system", "user"]:
        raise ConfigError(f"prompt {name!r}: write one '# System' part and then one '# User' part")
    return Prompt(name=name, system=parts[2].strip(), user=parts[4].strip(), hash=sha256_text(text))


def values_of(task: DraftTask) -> dict[str, str]:
    """What the placeholders of `answer` and `synthesize` stand for."""
    marker = "[1]" if task.style == "[n]" else "[S1]"
    return {
        "marker": marker,
        "dont_know": DONT_KNOW,
        "sources": sources_block(task.passages, task.style),
        "profile": _profile(task.profile),
        "question": inert(task.question),
        "previous": inert(task.previous or "(none)"),
        "problems": "\n".join(f"- {inert(problem)}" for problem in task.problems) or "- (none)",
    }


def sources_block(passages: Sequence[Passage], style: str) -> str:
    lines = []
    for number, passage in enumerate(passages, 1):
        name = str(number) if style == "[n]" else f"S{number}"
        date = passage.metadata.get("date")
        dated = f' date="{_attribute(date)}"' if date else ""
        title = passage.metadata.get("title") or passage.metadata.get("source") or passage.id
        lines.append(f'<SOURCE id="{name}" title="{_attribute(title)}"{dated}>\n{inert(passage.text)}\n</SOURCE>')
    return "\n".join(lines)


def references_block(snippets: Sequence[str]) -> str:
    """The judge's reference list; empty without snippets, so that nothing invites an invented citation."""
    if not snippets:
        return ""
    lines = [f"[{number}] {inert(snippet)}" for number, snippet in enumerate(snippets, 1)]
    return "<REFERENCES>\n" + "\n".join(lines) + "\n</REFERENCES>"


def inert(text: str) -> str:
    """Keeps a quoted text from closing its own fence."""
    return _FENCE.sub(lambda match: match.group().replace("<", "‹").replace(">", "›"), text)


def _attribute(value: Json) -> str:
    return " ".join(str(value).replace('"', "'").replace("<", "‹").replace(">", "›").split())[:120]


def _profile(profile: Mapping[str, Json]) -> str:
    return inert(json.dumps(profile, ensure_ascii=False, sort_keys=True)) if profile else "(nothing)"


@cache
def _shipped(name: str) -> Prompt:
    file = files("surefoot.generate") / "prompts" / f"{name}.md"
    if not file.is_file():
        raise ConfigError(f"there is no prompt {name!r}; known: answer, judge, resolve, synthesize, translate")
    return parse(name, file.read_text(encoding="utf-8"))


_PARTS = re.compile(r"^# (System|User)[ \t]*$", re.M | re.I)
_SECTION = re.compile(r"\{\{#(\w+)\}\}\n?(.*?)\{\{/\1\}\}\n?", re.S)
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_FENCE = re.compile(r"</?\s*(?:SOURCES?|REFERENCES|CONTEXT)\b[^>]*>", re.I)
