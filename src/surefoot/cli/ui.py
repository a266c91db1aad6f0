"""`surefoot ui`: the web page, against a running service."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

import surefoot
from surefoot.core.errors import MissingExtraError


def command(
    service: Annotated[str | None, typer.Option(help="Address of the service; default http://127.0.0.1:8808.")] = None,
    host: Annotated[str, typer.Option(help="Address the page listens on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port of the page.")] = 8501,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
) -> None:
    if find_spec("streamlit") is None:
        raise MissingExtraError("streamlit", "ui")
    from streamlit.web import cli as streamlit

    from surefoot.settings import load

    settings = load()
    address = service or f"http://{settings.host}:{settings.port}"
    page = Path(surefoot.__file__).parent / "ui" / "page.py"
    options = _options(host, port, browser, max(1, settings.max_upload_bytes // 1_000_000))
    sys.argv = ["streamlit", "run", str(page), *options, "--", "--service", address]
    streamlit.main()


def _options(host: str, port: int, browser: bool, largest_mb: int) -> list[str]:
    return [
        f"--server.address={host}",
        f"--server.port={port}",
        f"--server.headless={'false' if browser else 'true'}",
        "--browser.gatherUsageStats=false",
        "--client.toolbarMode=minimal",
        "--theme.light.primaryColor=#1b7f4b",
        "--theme.dark.primaryColor=#1f8050",
        "--server.fileWatcherType=none",
        f"--server.maxUploadSize={largest_mb}",
    ]
