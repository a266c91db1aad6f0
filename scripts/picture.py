"""Makes docs/assets/answer.png: the page with a real answer, its source opened. Needs chromium and chromedriver."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.conftest import served, staged  # noqa: E402

from surefoot.observe.metrics import PrometheusMeter  # noqa: E402
from surefoot.settings import Settings  # noqa: E402
from surefoot.wiring import build, builtin_documents  # noqa: E402

QUESTION, ANSWER = "What does a torn page cost?", "A torn page costs R20"


def main() -> None:
    with tempfile.TemporaryDirectory() as name, staged(Path(name)) as (behind, stage):
        house = build(Settings(kb=Path(name) / "kb", rate_limit_per_minute=0), meter=PrometheusMeter())
        asyncio.run(house.ingest([builtin_documents("default") / "fines-and-lost-items.md"]))
        with served(house, behind, stage.page):
            browser = stage.browser
            browser.resize(1000, 860)
            browser.open(stage.page)
            browser.wait_for("begin with one of these")
            browser.type("textarea", QUESTION + "\ue007")
            browser.wait_for(ANSWER)
            browser.wait_for("Download the certificate")
            browser.click(".sf-claim summary")
            browser.screenshot(ROOT / "docs" / "assets" / "answer.png")


if __name__ == "__main__":
    main()
