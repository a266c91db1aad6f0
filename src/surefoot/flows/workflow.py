"""A workflow as a table of steps: walked by ourselves, or compiled to be a node of somebody's own graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from surefoot.core.errors import DeadlineExceededError
from surefoot.flows.progress import Node
from surefoot.flows.state import AskInput, AskOutput, AskState

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    Graph = CompiledStateGraph[Any, Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    node: Node
    then: Callable[[AskState], str] | None = None
    """Names the next step; None: this is the last."""
    targets: tuple[str, ...] = ()


def compiled(steps: Sequence[Step]) -> Graph:
    from langgraph.graph import END, START, StateGraph

    graph: Any = StateGraph(AskState, input_schema=AskInput, output_schema=AskOutput)
    graph.add_edge(START, steps[0].name)
    for step in steps:
        graph.add_node(step.name, step.node)
        if step.then is None:
            graph.add_edge(step.name, END)
        else:
            graph.add_conditional_edges(step.name, step.then, list(step.targets))
    # No checkpoint of our own state: a parent graph keeps its own, and a draft must not outlive the run.
    made: Graph = graph.compile(checkpointer=False, name="surefoot")
    return made


async def walk(steps: Sequence[Step], state: AskState, *, most: int) -> AskState:
    """The same steps without LangGraph: one question on a command line should not pay a second of imports."""
    named = {step.name: step for step in steps}
    step: Step | None = steps[0]
    for _ in range(most):
        if step is None:
            return state
        state = {**state, **await step.node(state)}
        step = named[step.then(state)] if step.then is not None else None
    raise DeadlineExceededError("the workflow did not end; this is a bug")
