"""How a dataset build looks in a terminal: log blocks, a bar with rate, tokens, cost and time left, words after."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from surefoot.dataset.budget import Budget
    from surefoot.dataset.build import Built, Progress
    from surefoot.dataset.files import Row
    from surefoot.dataset.journal import Journal
    from surefoot.dataset.status import Price, Status
    from surefoot.dataset.workshop import Listener


class BuildDisplay:
    """Listens to a build. Ctrl-C asks it to stop after the calls under way; a second one stops at once."""

    def __init__(self, prices: Mapping[str, Price], *, quiet: bool) -> None:
        self._prices, self._quiet = prices, quiet
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._budget: Budget | None = None
        self._journal: Journal | None = None
        self._cost_at, self._cost_text = 0.0, ""

    def __enter__(self) -> Listener:
        from surefoot.dataset.workshop import Listener

        if sys.stderr.isatty() and not self._quiet:
            self._bar = _bar()
            self._task = self._bar.add_task("reading the corpus", total=None, accepted=0, rate="", spent="", left="")
            self._bar.start()
        with suppress(NotImplementedError, RuntimeError):  # no signal handlers outside the main thread
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._stop)
        return Listener(on_start=self._start, on_progress=self._progress, on_block=self._block)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, left="")
            self._bar.stop()
        with suppress(NotImplementedError, RuntimeError):
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)

    def _start(self, budget: Budget, journal: Journal) -> None:
        self._budget, self._journal = budget, journal
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description="planning")

    def _progress(self, progress: Progress) -> None:
        if self._bar is None or self._task is None:
            return
        rate, left = _pace(progress)
        if progress.done == progress.total:
            self._cost_at = 0.0  # the last word on the cost is not a second old
        self._bar.update(
            self._task,
            description="pairs",
            total=progress.total,
            completed=progress.done,
            accepted=progress.accepted,
            spent=self._spent(),
            rate=rate,
            left=left,
        )

    def _spent(self) -> str:
        """Tokens and cost, read from the journal at most once a second."""
        from surefoot.dataset.status import cost

        if self._budget is None or self._journal is None:
            return ""
        if time.monotonic() - self._cost_at > 1.0:
            self._cost_at = time.monotonic()
            costs = cost(self._journal.uses(), self._prices)
            self._cost_text = f" · {sum(costs.values()):.4f}" if costs else ""
        return f"{self._budget.spent:,} tokens{self._cost_text}"

    def _block(self, text: str) -> None:
        if self._quiet:
            return
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            print(text, file=sys.stderr, flush=True)

    def _stop(self) -> None:
        if self._budget is None or self._budget.ended == "interrupted":
            for task in asyncio.all_tasks():
                task.cancel()
            return
        self._budget.stop("interrupted")
        print("\nstopping after the calls under way; Ctrl-C again stops at once", file=sys.stderr, flush=True)


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[accepted]} accepted"),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[spent]}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        console=Console(stderr=True),
    )


def _pace(progress: Progress) -> tuple[str, str]:
    """Pairs a minute in this run and the time left at that rate, as `dataset status` counts them."""
    if not progress.fresh or progress.seconds <= 0:
        return "", ""
    rate = progress.fresh / progress.seconds
    return f"{rate * 60:.0f}/min", f"{_duration((progress.total - progress.done) / rate)} left"


def built_text(built: Built, out: Path) -> str:
    share = f" ({built.accepted / len(built.pairs):.0%})" if built.pairs else ""
    done = f"{len(built.sessions)} sessions, {len(built.pairs)} pairs, {built.accepted} accepted{share}"
    lines = []
    if built.ended == "interrupted":
        lines.append(f"stopped: {done} so far; everything is kept, run the same command to continue")
    else:
        lines.append(f"wrote {out}: {done}")
    if built.ended in _ENDED:
        lines.append(f"ended early: {_ENDED[built.ended]}")
    if built.failures:
        first = built.failures[0]
        lines.append(
            f"{len(built.failures)} questions failed, the first at {first.step}: {first.problem}; "
            "run the same command to try them again"
        )
    return "\n".join(lines)


def status_text(status: Status, costs: Mapping[str, float] | None) -> str:
    wanted = f" of {status.wanted} wanted" if status.wanted else ""
    rate = f" ({status.accept_rate:.0%})" if status.accept_rate is not None else ""
    lines = [
        f"state     {status.state}",
        f"pairs     {status.pairs} of {status.total} questions",
        f"accepted  {status.accepted}{wanted}{rate}",
    ]
    lines += [f"rejected  {count} x {code}" for code, count in sorted(status.reasons.items(), key=lambda x: -x[1])]
    for use in status.uses:
        paid = f", cost {costs[use.role]:.4f}" if costs else ""
        tokens = f"{use.prompt_tokens:,} + {use.completion_tokens:,} tokens"
        lines.append(f"{use.role:<9} {use.calls} calls of {use.model}, {tokens}{paid}")
    if costs:
        lines.append(f"cost      {sum(costs.values()):.4f}")
    elif status.uses:
        lines.append("cost      unknown; give --price PROMPT:COMPLETION per million tokens")
    if status.per_minute is not None:
        left = f", about {_duration(status.left_s)} left" if status.left_s is not None else ""
        lines.append(f"rate      {status.per_minute:.1f} pairs a minute{left}")
    if status.state not in ("running", "done") and status.command:
        lines.append(f"continue  {status.command}")
    return "\n".join(lines)


def explain_text(row: Row) -> str:
    pair = row.pair
    verdict = "accepted" if row.kept else "accepted, but rejected in review" if pair.accepted else "rejected"
    lines = [f"row {row.name} of {row.conversation}: {verdict}", f"aspect    {row.aspect}"]
    lines += [f"question  [{pair.question.type}] {pair.question.text}", ""]
    for passage in pair.passages:
        text = " ".join(passage.text.split())
        lines.append(f"  {passage.id} {passage.metadata.get('source')}: {text[:200]}{'...' if len(text) > 200 else ''}")
    steps = (
        ("1 answer", pair.initial_answer),
        ("2 critique", _critique(pair.initial_critique.grounded, pair.initial_critique.reasoning)),
        ("3 finalized", pair.final_answer),
        ("4 critique", _critique(pair.final_critique.grounded, pair.final_critique.reasoning)),
    )
    lines += [f"\n{name}\n  {text}" for name, text in steps]
    if pair.final_critique.codes:
        lines.append(f"\nwhy not     {', '.join(pair.final_critique.codes)}")
    for call in pair.calls:
        lines.append(f"call        {call.step}: {call.model}, {call.prompt_tokens} + {call.completion_tokens} tokens")
    if row.review is not None:
        lines.append(f"review      {row.review['verdict']}: {row.review['note']}")
    return "\n".join(lines)


def _critique(grounded: bool, reasoning: str) -> str:
    return f"{'grounded' if grounded else 'NOT grounded'}: {reasoning}"


def _duration(seconds: float | None) -> str:
    whole = int(seconds or 0)
    return f"{whole // 3600}h{whole % 3600 // 60:02d}m" if whole >= 3600 else f"{whole // 60}m{whole % 60:02d}s"


_ENDED = {
    "tokens": "the token budget (--budget-tokens) was spent first; a larger one continues where this one ended",
    "deadline": "the deadline (--deadline) came first; the same command continues",
    "questions": "the corpus gives no further new question; add documents or aspects",
}
