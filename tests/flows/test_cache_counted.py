"""An answer that is asked for twice comes from the cache, and the metrics page says so."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from surefoot.observe.metrics import PrometheusMeter
from surefoot.settings import Settings
from surefoot.wiring import Surefoot

pytest.importorskip("surefoot_models")


def test_the_tier_of_answers_is_counted(tmp_path: Path) -> None:
    (tmp_path / "fees.md").write_text("# Fees\n\nA torn page costs R20.\n", encoding="utf-8")
    meter = PrometheusMeter()
    house = Surefoot(Settings(kb=tmp_path / "kb"), meter=meter)

    async def story() -> list[str]:
        await house.ingest([tmp_path / "fees.md"])
        said = [(await house.ask("What does a torn page cost?")).text for _ in range(2)]
        await house.close()
        return said

    first, second = asyncio.run(story())
    assert "R20" in first
    assert second == first
    page = meter.text().decode()
    assert 'surefoot_cache_requests_total{outcome="miss",tier="answer"} 1.0' in page
    assert 'surefoot_cache_requests_total{outcome="hit",tier="answer"} 1.0' in page
