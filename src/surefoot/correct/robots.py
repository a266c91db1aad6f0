"""robots.txt: whether a site lets us read a page."""

from __future__ import annotations

import urllib.robotparser

AGENT = "surefoot"
LONGEST = 512_000


def permits(robots_txt: str, url: str) -> bool:
    rules = urllib.robotparser.RobotFileParser()
    rules.parse(robots_txt[:LONGEST].splitlines())
    return rules.can_fetch(AGENT, url)
