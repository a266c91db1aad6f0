"""Lists of terms in web pages: `Adults` and `£5` belong together, and a question belongs over its answer."""

from __future__ import annotations

from typing import Any

_INLINE = " or ".join(f"self::{tag}" for tag in "a abbr b code em i small span strong time".split())
_PARTS = "./dt | ./dd | ./div/dt | ./div/dd"
_ALONE = "self::p and not(../text()[normalize-space()] or ../*[2])"
_MORE = (
    f".//dt//*[not({_INLINE})] | .//dd//*[not({_INLINE})][not({_ALONE})]"
    " | ./*[not(self::dt or self::dd or self::div)] | ./div/*[not(self::dt or self::dd)]"
    " | ./text()[normalize-space()] | ./div/text()[normalize-space()]"
)
"""What is more than a few words in a row, or no term: a line break or a small figure would join two numbers."""


def with_terms(page: str) -> str:
    """The page with each `dl` as a list of `term: what is said of it`, or as questions with answers, and with each
    table's caption above the table. Of such a list others make two items, of a caption a row."""
    if "<dt" not in page.lower() and "<caption" not in page.lower():
        return page
    from lxml.etree import tostring
    from trafilatura.utils import load_html

    tree = load_html(page)
    if tree is None:
        return page
    for terms in tree.xpath("//dl[not(.//dl)][dt or div/dt]"):
        _tell(terms)
    for caption in tree.xpath(f"//table/caption[not(.//*[not({_INLINE})])]"):
        if said := _said(caption):
            caption.getparent().addprevious(_made("p", said, caption))
        caption.drop_tree()
    return str(tostring(tree, encoding="unicode", method="html"))


def _tell(terms: Any) -> None:
    pairs: list[tuple[str, list[Any], Any]] = []
    for one in terms.xpath(_PARTS):
        group = one.getparent()
        if one.tag == "dt" and pairs and not pairs[-1][1] and pairs[-1][2] is group:  # two names of one thing
            pairs[-1] = (f"{pairs[-1][0]}, {_said(one)}", [], group)
        elif one.tag == "dt":
            pairs.append((_said(one), [], group))
        elif not pairs:
            return
        else:
            pairs[-1][1].append(one)
    if terms.xpath(_MORE):
        return  # it stays as it is
    if all(name.endswith("?") for name, _, _ in pairs):
        told = [_made(tag, said, terms) for name, parts, _ in pairs for tag, said in (("h4", name), ("p", _all(parts)))]
    else:
        items = [f"{name.rstrip(':')}: {_all(parts)}" if parts else name for name, parts, _ in pairs]
        told = [_made("ul", "", terms)]
        told[0].extend(_made("li", item, terms) for item in items)
    for one in told:
        terms.addprevious(one)
    terms.drop_tree()


def _all(parts: list[Any]) -> str:
    return "; ".join(filter(None, map(_said, parts)))


def _said(element: Any) -> str:
    return " ".join(element.text_content().split())


def _made(tag: str, text: str, like: Any) -> Any:
    made = like.makeelement(tag)
    made.text = text
    return made
