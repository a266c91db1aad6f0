"""Bar charts as SVG text: no plotting library, the same bytes every time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    label: str
    value: float
    text: str
    """What is written at the end of the bar."""
    low: float | None = None
    high: float | None = None
    """Ends of the confidence interval."""


def bar_chart(title: str, bars: Sequence[Bar], *, most: float | None = None) -> str:
    """Horizontal bars, the longest filling the width."""
    scale = most or max((bar.high or bar.value for bar in bars), default=1.0) or 1.0
    height = _TOP + _STEP * len(bars) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" font-family="sans-serif" '
        f'font-size="12"><title>{escape(title)}</title>',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="8" y="18" font-size="14" font-weight="bold" fill="#1b1f24">{escape(title)}</text>',
    ]
    for place, bar in enumerate(bars):
        parts += _bar(bar, _TOP + _STEP * place, scale)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _bar(bar: Bar, top: int, scale: float) -> list[str]:
    width = _length(bar.value, scale)
    middle = top + 8
    drawn = [
        f'<text x="{_LEFT - 8}" y="{top + 12}" text-anchor="end" fill="#1b1f24">{escape(bar.label)}</text>',
        f'<rect x="{_LEFT}" y="{top}" width="{width:.1f}" height="16" fill="#2f6f8f"/>',
    ]
    end = width
    if bar.low is not None and bar.high is not None:
        low, end = _length(bar.low, scale), max(width, _length(bar.high, scale))
        drawn.append(
            f'<path d="M{_LEFT + low:.1f} {middle}H{_LEFT + end:.1f}" stroke="#1b1f24" stroke-width="1.5" fill="none"/>'
        )
    drawn.append(f'<text x="{_LEFT + end + 6:.1f}" y="{top + 12}" fill="#1b1f24">{escape(bar.text)}</text>')
    return drawn


def _length(value: float, scale: float) -> float:
    return max(0.0, min(1.0, value / scale)) * _ROOM


_WIDTH, _LEFT, _TOP, _STEP = 640, 180, 30, 24
_ROOM = _WIDTH - _LEFT - 130
