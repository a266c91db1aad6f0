"""Nodes that tell how far they are, and whose failure is a value the decision table knows."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping

from surefoot.core.errors import DeadlineExceededError, InputError, ModelError
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


def guarded(name: str, node: Node, *, prepare: Callable[[AskState], AskState] | None = None) -> Node:
    """The node with its events; an exception becomes `fault`, but for the caller's own mistakes.

    `prepare` gives the state a run begins with; it is kept even when the node fails.
    """

    async def run(state: AskState) -> AskState:
        ready: AskState = prepare(state) if prepare is not None else {}
        state = {**state, **ready}
        _emit(state, name, "started", {})
        try:
            update = await node(state)
        except InputError:
            raise
        except Exception as error:
            fault = fault_of(error)
            _LOG.warning("node %s failed: %s", name, type(error).__name__)
            _emit(state, name, "failed", {"fault": fault, "error": type(error).__name__})
            return {**ready, "fault": fault}
        _emit({**state, **update}, name, "finished", _detail(name, {**state, **update}))
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


def _emit(state: AskState, name: str, what: str, detail: Mapping[str, Json]) -> None:
    budget = state["budget"]
    elapsed = (budget.clock.monotonic() - budget.began) * 1000
    number = len(state["rounds"]) + (0 if name == "deliver" or (name == "validate" and what == "finished") else 1)
    event = AskEvent(node=name, state=what, round=number, elapsed_ms=round(elapsed, 3), detail=detail)
    tell(state["request"].on_event, event)


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
