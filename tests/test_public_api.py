"""The public menu is small, complete and cheap."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

import surefoot
from surefoot import Decision, Passage, VerifyInput
from surefoot.core import errors

LIBRARY = "The late fee for a DVD is R5 a day. The desk closes at 18:00."
DRAFT = VerifyInput(
    draft_answer="The card costs R120 a year [S1].", chunks=(Passage(id="S1", text="The card costs R120 a year."),)
)


def test_every_name_of_the_menu_is_there_and_explains_itself() -> None:
    aliases = {"Source", "Sources"}
    for name in surefoot.__all__:
        thing = getattr(surefoot, name)
        assert name in aliases or (thing.__doc__ and not thing.__doc__.startswith(f"{name}(")), name


def test_every_error_is_importable_from_the_menu() -> None:
    raised = {
        name for name, thing in vars(errors).items() if isinstance(thing, type) and thing.__module__ == errors.__name__
    }
    assert raised <= set(surefoot.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = surefoot.nonsense


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys, surefoot; print(','.join(m for m in sys.modules if m.split('.')[0] in "
        "{'numpy','onnxruntime','langgraph','openai','typer','pydantic','yaml'}))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""


def test_verifying_loads_nothing_that_only_a_question_needs() -> None:
    code = (
        "import sys, surefoot; surefoot.verify('It opens at 9:00.', ['It opens at 9:00.']); "
        "print(*(m for m in sys.modules if m.startswith(('surefoot.flows.ask', 'surefoot.flows.judge', "
        "'surefoot.correct', 'surefoot.llm', 'surefoot.retrieve', 'surefoot.ingest.ingestor'))), "
        "*({'langgraph', 'openai', 'pydantic', 'httpx2', 'qdrant_edge', 'structlog'} & sys.modules.keys()))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []
    assert ran.stderr == ""


def test_verify_blocks_and_answers(tmp_path: Path) -> None:
    assert surefoot.verify(DRAFT, kb=tmp_path).decision is Decision.APPROVED


def test_verify_works_inside_a_running_loop(tmp_path: Path) -> None:
    async def inside() -> Decision:
        return surefoot.verify(DRAFT, kb=tmp_path).decision

    assert asyncio.run(inside()) is Decision.APPROVED


def test_an_error_reaches_the_caller(tmp_path: Path) -> None:
    with pytest.raises(surefoot.SurefootError, match="no-such-pack"):
        surefoot.verify(DRAFT, kb=tmp_path, pack="no-such-pack")


def test_three_lines_verify_an_answer_without_markers_and_write_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = surefoot.verify("The late fee for a DVD is R5 a day. The desk closes at 18:00.", [LIBRARY])
    assert (result.decision, result.text) == (
        Decision.APPROVED,
        "The late fee for a DVD is R5 a day. The desk closes at 18:00.",
    )
    assert [claim.status for claim in result.claims] == ["proven", "proven"]
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_value_is_answered_by_its_source() -> None:
    result = surefoot.verify("The late fee for a DVD is R9 a day.", [LIBRARY])
    assert (result.decision, result.text) == (Decision.REVISED, "The late fee for a DVD is R5 a day.")


def test_required_citations_want_a_marker_on_every_claim() -> None:
    result = surefoot.verify("The late fee for a DVD is R5 a day.", [LIBRARY], citations="required")
    assert [issue.code for issue in result.issues] == ["citation_missing"]
    assert result.text == "The late fee for a DVD is R5 a day [S1]."


def test_auto_citations_hold_for_a_pack_that_requires_them(tmp_path: Path) -> None:
    answer = "The late fee for a DVD is R5 a day."
    own, auto = (surefoot.verify(answer, [LIBRARY], pack="judge", citations=mode) for mode in (None, "auto"))
    assert "citation_missing" in {issue.code for issue in own.issues}
    assert "citation_missing" not in {issue.code for issue in auto.issues}


def test_the_run_is_kept_where_a_knowledge_base_is_given(tmp_path: Path) -> None:
    assert surefoot.verify("The desk closes at 18:00.", [LIBRARY], kb=str(tmp_path)).metadata.run_id
    assert (tmp_path / "runs.sqlite").exists()


@pytest.mark.parametrize(
    ("given", "named", "says"),
    [
        (("x",), {}, "sources are missing"),
        ((3, []), {}, "answer must be a text"),
        (("x", [3]), {}, "source 1 is a 'int'"),
        (("x", [{"txt": "y"}]), {}, "has no 'text'"),
        (("x", 3), {}, "must be a list"),
        (("x", []), {"citations": "never"}, "'auto' or 'required'"),
        (("x", []), {"kbb": 3}, "did you mean 'kb'"),
        ((DRAFT, []), {}, "give it alone"),
    ],
)
def test_a_mistake_is_named_with_its_remedy(given: tuple[object, ...], named: dict[str, object], says: str) -> None:
    with pytest.raises(surefoot.InputError, match=says):
        surefoot.verify(*given, **named)  # type: ignore[call-overload]


def test_help_explains_the_call_before_and_after_its_first_use() -> None:
    shown = "print([*inspect.signature(surefoot.verify).parameters][:2], 'result.text' in surefoot.verify.__doc__)"
    code = f"import inspect, surefoot; {shown}; import surefoot.verify.gate; {shown}"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["['answer', 'sources'] True"] * 2


def test_asking_a_knowledge_base_that_is_not_there_says_so_and_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(surefoot.InputError, match="surefoot ingest FOLDER --kb"):
        surefoot.ask("What is the late fee?", kb=tmp_path / "typo")
    assert list(tmp_path.iterdir()) == []


def test_models_are_opened_once_however_often_it_is_called() -> None:
    from surefoot.encoders.session import _load

    surefoot.verify("The desk closes at 18:00.", [LIBRARY])
    opened = _load.cache_info().misses
    surefoot.verify("The desk closes at 18:00.", [LIBRARY])
    surefoot.verify("The desk closes at 18:00.", [LIBRARY], trust="proof")
    assert _load.cache_info().misses == opened
