from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from surefoot.cli.starting import starting


def test_garbage_is_not_looked_for_while_a_command_is_imported_and_is_afterwards() -> None:
    with starting():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_garbage_is_looked_for_again_after_an_import_that_failed() -> None:
    with pytest.raises(ImportError), starting():
        import surefoot.no_such_module  # type: ignore[import-not-found]  # noqa: F401
    assert gc.isenabled()


def test_garbage_of_later_commands_is_still_found() -> None:
    """In a process of its own: what one test froze no other may count on."""
    code = (
        "import gc, weakref\n"
        "from surefoot.cli.starting import starting\n"
        "class Thing: pass\n"
        "with starting(): pass\n"
        "thing = Thing(); thing.itself = thing; held = weakref.ref(thing); del thing\n"
        "with starting(): pass\n"
        "gc.collect(); print(held() is None)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "True"
