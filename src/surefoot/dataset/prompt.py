"""The agents' prompts: files beside this one with a system and a user part; a pack may override `dataset_<name>`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from surefoot.core.errors import ConfigError
from surefoot.core.hashing import sha256_text
from surefoot.core.types import Passage

NAMES = ("aspects", "questions", "answer", "critic", "finalizer")


@dataclass(frozen=True, kw_only=True, slots=True)
class Prompt:
    name: str
    system: str
    user: str
    hash: str

    def fill(self, values: Mapping[str, str]) -> tuple[str, str]:
        """System and user text. One pass: a placeholder inside a document stays what it is."""

        def put(match: re.Match[str]) -> str:
            if match.group(1) not in values:
                known = ", ".join(sorted(values))
                raise ConfigError(f"prompt {self.name!r}: unknown placeholder {match.group()!r}; known: {known}")
            return values[match.group(1)]

        return _PLACEHOLDER.sub(put, self.system), _PLACEHOLDER.sub(put, self.user)


def load_prompts(overrides: Mapping[str, str] | None = None) -> dict[str, Prompt]:
    given = overrides or {}
    folder = files("surefoot.dataset") / "prompts"
    texts = {name: given.get(f"dataset_{name}") or (folder / f"{name}.md").read_text("utf-8") for name in NAMES}
    return {name: parse(name, text) for name, text in texts.items()}


def parse(name: str, text: str) -> Prompt:
    parts = _PARTS.split(text)
    if len(parts) != 5 or [parts[1].lower(), parts[3].lower()] != ["system", "user"]:
        raise ConfigError(f"prompt {name!r}: write one '# System' part and then one '# User' part")
    return Prompt(name=name, system=parts[2].strip(), user=parts[4].strip(), hash=sha256_text(text))


def sources_block(passages: Sequence[Passage]) -> str:
    """The passages in fences that their own text cannot close."""
    return "\n".join(f'<SOURCE id="{one.id}">\n{inert(one.text)}\n</SOURCE>' for one in passages)


def inert(text: str) -> str:
    return _FENCE.sub(lambda match: match.group().replace("<", "‹").replace(">", "›"), text)


_PARTS = re.compile(r"^# (System|User)[ \t]*$", re.M | re.I)
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_FENCE = re.compile(r"</?\s*(?:SOURCES?|ANSWER|CRITIQUE|DOCUMENTS?)\b[^>]*>", re.I)
