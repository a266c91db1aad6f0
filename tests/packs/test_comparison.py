"""What changed between two versions of a pack."""

from __future__ import annotations

import shutil
from pathlib import Path

from surefoot.packs import loader, starter
from surefoot.packs.comparison import compare


def test_a_pack_does_not_differ_from_itself(tmp_path: Path) -> None:
    pack = loader.load(starter.create(tmp_path / "desk"))
    assert compare(pack, pack) == []


def test_every_changed_part_is_named_once(tmp_path: Path) -> None:
    one = starter.create(tmp_path / "desk")
    other = tmp_path / "second" / "desk"
    shutil.copytree(one, other)
    rule = other / "rules" / "no-fines-waived.md"
    rule.write_text(rule.read_text().replace("severity: high", "severity: low"))
    names = other / "entities" / "branches.csv"
    names.write_text(names.read_text().replace("Market Branch", "Beach Branch"))
    manifest = other / "pack.yaml"
    manifest.write_text(manifest.read_text().replace("'1.0'", "'1.1'").replace("loan, card", "loan"))
    told = [str(change) for change in compare(loader.load(one), loader.load(other))]
    assert told == [
        "~ version: 1.0 -> 1.1",
        "~ rule no-fines-waived: severity",
        "+ entity branch 'Beach Branch'",
        "- entity branch 'Market Branch'",
        "~ keywords library",
    ]
