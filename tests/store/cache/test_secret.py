"""The signing key is made once, kept private, and may be given."""

from __future__ import annotations

from pathlib import Path

from surefoot.store.cache.secret import cache_secret


def test_the_key_is_made_once_and_is_the_owners_alone(tmp_path: Path) -> None:
    first = cache_secret(tmp_path / "kb")
    assert cache_secret(tmp_path / "kb") == first
    assert len(first) == 32
    assert (tmp_path / "kb" / "cache.key").stat().st_mode & 0o077 == 0


def test_a_given_key_is_the_same_everywhere(tmp_path: Path) -> None:
    assert cache_secret(tmp_path / "a", "shared") == cache_secret(tmp_path / "b", "shared")
    assert not (tmp_path / "a").exists()


def test_a_damaged_key_file_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "cache.key").write_bytes(b"short")
    assert cache_secret(tmp_path) != cache_secret(tmp_path)


def test_a_folder_that_cannot_be_made_gets_a_key_of_the_process(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert len(cache_secret(tmp_path / "file" / "kb")) == 32
