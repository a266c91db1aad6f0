"""Characters that show nothing: between the letters of a word or the digits of a number they hide it from a pattern."""

from __future__ import annotations

import re

INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Format characters, fillers and variation selectors: what Unicode calls default ignorable."""
