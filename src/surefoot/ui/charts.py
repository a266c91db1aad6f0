"""The page's plots: whole numbers on the axis, words that can be read, the decisions' own colours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair
import pandas

COLOURS = {"Approved": "#1b7f4b", "Revised": "#b98100", "Safe answer": "#7a74dd", "No answer": "#d0473d"}
"""As the verdicts are coloured in texts; a legend names them, so colour is never the only sign."""
PLAIN = "#1b7f4b"


def counted(counts: Mapping[str, float]) -> Any:
    """Horizontal bars, the longest first, one per name."""
    frame = pandas.DataFrame({"name": list(counts), "count": list(counts.values())})
    colour = altair.Color("name:N", scale=_scale(list(counts)), legend=None)
    return (
        altair.Chart(frame, height=altair.Step(34))
        .mark_bar(size=20)
        .encode(x=_whole("count:Q"), y=_named("name:N", sort="-x"), color=colour, tooltip=["name", "count"])
    )


def over_time(frame: pandas.DataFrame) -> Any:
    """Decisions an hour, or a day where they span more than three, stacked; `frame` has `at` and `decision`."""
    days = frame["at"].max() - frame["at"].min() > pandas.Timedelta(days=3)
    colour = altair.Color(
        "decision:N", scale=_scale(list(COLOURS)), legend=altair.Legend(orient="top", title=None, columns=2)
    )
    when = altair.X(
        "when:O",
        title="day (UTC)" if days else "hour (UTC)",
        axis=altair.Axis(labelAngle=0, labelOverlap=True),
        sort=None,
    )
    named = frame.sort_values("at").assign(when=lambda rows: rows["at"].dt.strftime("%d %b" if days else "%d %b %H:00"))
    widest = min(28.0, 280 / named["when"].nunique())  # one bar must not fill the page, and many must fit a phone
    return (
        altair.Chart(named, height=260)
        .mark_bar(size=widest)
        .encode(x=when, y=_whole("count()", "decisions"), color=colour)
    )


def quantiles(frame: pandas.DataFrame) -> Any:
    """One group of bars per row, one bar per column, in milliseconds."""
    long = frame.rename_axis("stage").reset_index().melt("stage", var_name="quantile", value_name="ms")
    shades = altair.Scale(domain=list(frame.columns), range=["#9bd3b5", "#4fa878", "#2c7d54"])
    return (
        altair.Chart(long, height=altair.Step(14))
        .mark_bar()
        .encode(
            x=altair.X("ms:Q", title="ms", axis=altair.Axis(tickCount=6)),
            y=_named("stage:N"),
            yOffset=altair.YOffset("quantile:N"),
            color=altair.Color("quantile:N", scale=shades, legend=altair.Legend(orient="top", title=None, columns=1)),
            tooltip=["stage", "quantile", altair.Tooltip("ms:Q", format=".1f")],
        )
    )


def _whole(field: str, title: str | None = None) -> Any:
    kind = altair.Y if title else altair.X
    return kind(field, title=title, axis=altair.Axis(tickMinStep=1, format="d"))


def _named(field: str, sort: Any = None) -> altair.Y:
    return altair.Y(field, title=None, sort=sort, axis=altair.Axis(labelLimit=220))


def _scale(names: list[str]) -> altair.Scale:
    return altair.Scale(domain=names, range=[COLOURS.get(name, PLAIN) for name in names])
