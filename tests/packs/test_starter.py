"""A new pack works as it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from surefoot.core.errors import PackError
from surefoot.packs import loader, starter


def test_a_new_pack_loads_under_its_own_name(tmp_path: Path) -> None:
    pack = loader.load(starter.create(tmp_path / "my-desk"))
    assert pack.name == "my-desk"
    assert pack.rules
    assert pack.entities


@pytest.mark.parametrize("name", ["My Desk", "1st", "a", "../x", "über"])
def test_a_name_that_would_not_work_everywhere_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(PackError, match="small letters"):
        starter.create(tmp_path / name.replace("../", "X"))


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    starter.create(tmp_path / "desk")
    with pytest.raises(PackError, match="not empty"):
        starter.create(tmp_path / "desk")
