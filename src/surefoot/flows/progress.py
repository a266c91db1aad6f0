"""Nodes that tell how far they are, and whose failure is a value the decision table knows."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace

from surefoot.core.errors import (
    DeadlineExceededError,
    InputError,
    ModelError,
    RecordingMissingError,
    StoreError,
    StoreUnavailableError,
)
from surefoot.core.known_names import names_known
from surefoot.core.types import AskEvent, Json
from surefoot.flows.state import AskState, Listener

Node = Callable[[AskState], Awaitable[AskState]]
_LOG = logging.getLogger(__name__)
_FAULTS: tuple[tuple[type[BaseException], str], ...] = (
    (TimeoutError, "deadline_exceeded"),
    (DeadlineExceededError, "deadline_exceeded"),
    (ModelError, "llm_unavailable"),
    (Exception, "check_broken"),
)


def guarded(
    name: str, node: Node, *, prepare: Callable[[AskState], AskState] | None = None, finish: Node | None = None
) -> Node:
    """The node with its events; an exception becomes `fault`, but for the caller's own mistakes, a recording that is
    missing and a store that is down: what could not be looked up is not "I don't know".

    `prepare` gives the state a run begins with; it is kept even when the node fails. `finish` writes down what came of
    it, this node's own event included.
    """

    async def run(state: AskState) -> AskState:
        ready: AskState = prepare(state) if prepare is not None else {}
        state = {**state, **ready}
        began = state["budget"].elapsed_ms
        _tell(state, _event(state, name, "started"))
        try:
            with names_known(state["request"].profile):
                update = await node(state)
            state = {**state, **update}
            ended = _ended(state, name, began)
            update = {**update, "nodes": (*state["nodes"], ended)}
            if finish is not None:
                update = {**update, **await finish({**state, **update})}
        except (InputError, RecordingMissingError):
            raise
        except StoreError as error:
            _tell(state, _failed(state, name, began, error, "store_unavailable"))
            if isinstance(error, StoreUnavailableError):
                raise
            raise StoreUnavailableError(str(error)) from error
        except Exception as error:
            failed = _failed(state, name, began, error, fault_of(error))
            _tell(state, failed)
            return {**ready, "fault": failed.reason, "nodes": (*state["nodes"], failed)}
        _tell(state, ended)
        return {**ready, **update}

    run.__name__ = name
    return run


def fault_of(error: BaseException) -> str:
    return next(code for kind, code in _FAULTS if isinstance(error, kind))


def tell(listener: Listener | None, event: AskEvent) -> None:
    """A listener that fails loses its events, never the answer."""
    if listener is None:
        return
    try:
        listener(event)
    except Exception:
        _LOG.warning("a progress listener failed on %s", event.node)


def _tell(state: AskState, event: AskEvent) -> None:
    tell(state["request"].on_event, event)


def _event(state: AskState, name: str, what: str) -> AskEvent:
    number = len(state["rounds"]) + (0 if name == "deliver" or (name == "validate" and what == "finished") else 1)
    return AskEvent(node=name, state=what, round=number, elapsed_ms=round(state["budget"].elapsed_ms, 3))


def _ended(state: AskState, name: str, began: float) -> AskEvent:
    event = _event(state, name, "finished")
    score, reason = _outcome(name, state)
    took = round(event.elapsed_ms - began, 3)
    return replace(event, took_ms=took, score=score, reason=reason, detail=_detail(name, state))


def _failed(state: AskState, name: str, began: float, error: Exception, fault: str) -> AskEvent:
    kind = type(error).__name__
    _LOG.warning("node %s failed: %s", name, kind)
    event = _event(state, name, "failed")
    took = round(event.elapsed_ms - began, 3)
    return replace(event, took_ms=took, reason=fault, detail={"fault": fault, "error": kind})


def _outcome(name: str, state: AskState) -> tuple[float | None, str | None]:
    """A step's score and, in codes, why the workflow did not simply go on from it."""
    held, found, report = state["held"], state["found"], state["validation_report"]
    if name == "retrieve":
        refused = held.result.metadata.fallback_reason if held is not None else None
        missed = "retrieval_miss" if found is not None and not found.relevant else None
        return (round(found.relevance, 4) if found is not None else None), refused or missed
    if name == "validate" and report is not None:
        return report.round.score, ", ".join(report.codes) or None
    if name == "execute":
        return None, None if state["new_info"] else "nothing_found"
    if name == "deliver":
        best = state["best"]
        score = best.round.score if best is not None else None
        return score, held.result.metadata.fallback_reason if held is not None else None
    return None, None


def _detail(name: str, state: AskState) -> dict[str, Json]:
    """Counts and verdicts only: no text that has not passed the gate."""
    if name == "retrieve" and (found := state["found"]) is not None:
        return {"passages": len(found.passages), "relevant": found.relevant, "relevance": round(found.relevance, 4)}
    if name in ("generate", "synthesize") and (draft := state["draft"]) is not None:
        return {"model": draft.model, "characters": len(draft.text), "tokens": draft.tokens}
    if name == "validate" and (report := state["validation_report"]) is not None:
        return {"score": report.round.score, "accepted": report.round.accepted, "reasons": list(report.round.reasons)}
    if name == "execute":
        return {"passages": len(state["new_info"])}
    if name == "deliver" and (held := state["held"]) is not None:
        return {"decision": held.result.decision.value, "reason": held.result.metadata.fallback_reason}
    return {}
