"""Makes docs/assets/answer.png: the page with a real answer, its source opened. Needs chromium and chromedriver."""

from __future__ import annotations

import sys
import tempfile
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.conftest import serving  # noqa: E402
from tests.browser.driver import Browser  # noqa: E402

from surefoot.wiring import builtin_documents  # noqa: E402

QUESTION, ANSWER = "What does a torn page cost?", "A torn page costs R20"


def main() -> None:
    documents = builtin_documents("default")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (
            serving(folder, folder / "kb", [documents / "fines-and-lost-items.md"]) as page,
            closing(Browser(folder)) as browser,
        ):
            browser.resize(1000, 1180)
            browser.open(page)
            browser.wait_for("begin with one of these")
            browser.type("textarea", QUESTION + "\ue007")
            browser.wait_for(ANSWER)
            browser.wait_for("Download the certificate")
            browser.click(".sf-claim summary")
            browser.screenshot(ROOT / "docs" / "assets" / "answer.png")


if __name__ == "__main__":
    main()
