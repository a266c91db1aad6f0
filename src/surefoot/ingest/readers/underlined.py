"""Headings that are underlined, in plain text and in Markdown, written with the marks that everything else knows."""

from __future__ import annotations

import re


def marked(text: str) -> str:
    """`Fees` over `----` as `## Fees`, over `====` as `# Fees`; a line between two rules too. A rule much longer or
    shorter than the line over it only parts what stands above from what stands below."""
    return _UNDERLINED.sub(_marked, text) if _RULE.search(text) else text


def _marked(found: re.Match[str]) -> str:
    line, rule, end = found["line"], found["rule"], found["end"]
    alike = rule[0] == "=" or found["over"] or len(line) / 2 <= len(rule) <= 2 * len(line) + 2
    if not alike or line.endswith((".", ",", ";")) or _COLUMNS.search(line):
        return found.group()
    return f"{'#' if rule[0] == '=' else '##'} {line}{end}"


_RULE = re.compile(r"^[=~^-]{3}", re.MULTILINE)
_UNDERLINED = re.compile(
    r"^(?P<over>([=~^-])\2{2,}[ \t]*\r?\n)?(?P<line>(?![#>|*+-])\w[^\n]{0,98}?\S)[ \t]*\r?\n"
    r"(?P<rule>([=~^-])\5{2,})[ \t]*(?P<end>\r?\n|\Z)",
    re.MULTILINE,
)
_COLUMNS = re.compile(r"\s{2}|[|\t]")
