"""The data card: where a dataset comes from, what is in it, and how good its critic is, measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from surefoot.core.types import Json
from surefoot.dataset.chart import Bar, bar_chart
from surefoot.dataset.files import Audit
from surefoot.dataset.measure import Measured, Rate
from surefoot.dataset.pair import QuestionType


def write_card(audit: Audit, measured: Sequence[Measured], file: Path) -> list[Path]:
    """FILE.md and its plots beside it."""
    plots = _plots(audit, measured)
    folder = file.parent
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, svg in plots.items():
        plot = folder / f"{file.stem}.{name}.svg"
        plot.write_text(svg, encoding="utf-8")
        written.append(plot)
    file.write_text(card_text(audit, measured, {name: f"{file.stem}.{name}.svg" for name in plots}), encoding="utf-8")
    return [file, *written]


def card_text(audit: Audit, measured: Sequence[Measured], plots: Mapping[str, str]) -> str:
    build = audit.build
    parts = [
        f"# Data card: {build['title']}",
        _summary(audit),
        "## What is in it\n\n" + _types(audit) + _image(plots, "types"),
        "## Rejected pairs\n\n" + _reasons(audit) + _image(plots, "reasons"),
        "## The critic, measured\n\n" + measured_text(measured) + _image(plots, "critic"),
        "## Coverage\n\n" + _coverage(build),
        "## How it was made\n\n" + _making(build),
        "## Provenance and licences\n\n" + _provenance(build),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def measured_text(measured: Sequence[Measured]) -> str:
    """The table of catch and false-alarm rates, as the card and the terminal show it."""
    if not measured:
        return "Not measured: run `surefoot dataset card` with `--planted` above 0."
    lines = [
        "Errors were planted by code into sentences of the sources; controls are the same sentences untouched or with "
        "an opening phrase, so they are true whatever the critic thinks. Shares with Wilson's 95 % interval.",
        "",
        "| judge | "
        + " | ".join([*measured[0].caught, *(f"false alarm, {n}" for n in measured[0].false_alarms)])
        + " |",
        "|---" * (1 + len(measured[0].caught) + len(measured[0].false_alarms)) + "|",
    ]
    for one in measured:
        cells = [rate_text(rate) for rate in [*one.caught.values(), *one.false_alarms.values()]]
        lines.append(f"| {_JUDGES[one.judge]} | " + " | ".join(cells) + " |")
    if measured[0].unjudged:
        lines += ["", f"{measured[0].unjudged} specimens got no verdict: the critic model failed."]
    return "\n".join(lines)


def rate_text(rate: Rate) -> str:
    if not rate.total:
        return "no case"
    low, high = rate.interval
    return f"{rate.share:.1%} [{low:.0%}–{high:.0%}] ({rate.hits}/{rate.total})"


def _summary(audit: Audit) -> str:
    build = audit.build
    refusals = sum(row.kept and row.pair.question.type is QuestionType.UNANSWERABLE for row in audit.rows)
    removed = sum(row.pair.accepted and not row.kept for row in audit.rows)
    ended = f" The build was ended by: {build['ended']}." if build.get("ended") else ""
    sessions = len({row.conversation for row in audit.rows})
    return (
        f"{sum(row.kept for row in audit.rows)} accepted question-answer pairs of {len(audit.rows)} in {sessions} "
        f"sessions, {refusals} of them refusals of unanswerable questions; {len(audit.failures)} questions failed; "
        f"{removed} accepted pairs were taken out by reviewers.{ended}"
    )


def _types(audit: Audit) -> str:
    lines = ["| type | pairs | accepted |", "|---|---|---|"]
    for kind in QuestionType:
        rows = [row for row in audit.rows if row.pair.question.type is kind]
        if rows:
            lines.append(f"| {kind.value} | {len(rows)} | {sum(row.kept for row in rows)} |")
    return "\n".join(lines)


def _reasons(audit: Audit) -> str:
    reasons = Counter(code for row in audit.rows for code in row.pair.final_critique.codes)
    if not reasons:
        return "No pair was rejected."
    lines = ["| reason | pairs |", "|---|---|"]
    return "\n".join([*lines, *(f"| {code} | {count} |" for code, count in _ranked(reasons))])


def _coverage(build: Mapping[str, Json]) -> str:
    found = build["coverage"]
    assert isinstance(found, dict)
    return (
        f"{found['cited']} of {found['documents']} documents are cited by an accepted answer; "
        f"{found['retrieved']} were read for a question. {build['duplicates_dropped']} near-duplicate questions were "
        "dropped."
    )


def _making(build: Mapping[str, Json]) -> str:
    models, prompts = build.get("models"), build.get("prompts")
    lines = [f"- {role}: {spec}" for role, spec in models.items()] if isinstance(models, dict) else []
    if not lines:
        lines = ["- no language model: template questions, extractive answers, the gate as critic"]
    if isinstance(prompts, dict):
        lines += [f"- prompt {name}: sha256 {str(value)[:16]}" for name, value in prompts.items()]
    lines += [
        f"- {name}: {build[name]}" for name in ("version", "pack", "tokens", "seed") if build.get(name) is not None
    ]
    steps = (
        "Answer, critique, finalize, critique; a pair is accepted only if the last critique and the gate both agree."
    )
    return steps + "\n\n" + "\n".join(lines)


def _provenance(build: Mapping[str, Json]) -> str:
    documents = build["documents"]
    assert isinstance(documents, list)
    licences = Counter(str(one["licence"]) for one in documents if isinstance(one, dict))
    lines = [
        f"Corpus `{build['corpus']}`, fingerprint `{str(build['fingerprint'])[:16]}`.",
        "",
        "| licence | documents |",
    ]
    lines += ["|---|---|", *(f"| {name} | {count} |" for name, count in _ranked(licences)), ""]
    lines += ["| document | title | sha256 | licence |", "|---|---|---|---|"]
    for one in documents:
        assert isinstance(one, dict)
        cells = [str(one[key]).replace("|", "/") for key in ("source", "title")]
        lines.append(f"| {cells[0]} | {cells[1]} | {str(one['sha256'])[:16]} | {one['licence']} |")
    return "\n".join(lines)


def _plots(audit: Audit, measured: Sequence[Measured]) -> dict[str, str]:
    kinds = {kind: [row for row in audit.rows if row.pair.question.type is kind] for kind in QuestionType}
    types = [
        Bar(
            label=kind.value,
            value=sum(row.kept for row in rows),
            text=f"{sum(row.kept for row in rows)} of {len(rows)}",
        )
        for kind, rows in kinds.items()
        if rows
    ]
    reasons = Counter(code for row in audit.rows for code in row.pair.final_critique.codes)
    plots = {"types": bar_chart("Accepted pairs by type", types)}
    if reasons:
        bars = [Bar(label=code, value=count, text=str(count)) for code, count in _ranked(reasons)]
        plots["reasons"] = bar_chart("Reasons of rejection", bars)
    if measured:
        rates = [*measured[-1].caught.items(), *((f"alarm, {n}", r) for n, r in measured[-1].false_alarms.items())]
        bars = [
            Bar(label=name, value=rate.share, text=f"{rate.share:.0%}", low=rate.interval[0], high=rate.interval[1])
            for name, rate in rates
            if rate.total
        ]
        plots["critic"] = bar_chart(f"Critic ({_JUDGES[measured[-1].judge]})", bars, most=1.0)
    return plots


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _image(plots: Mapping[str, str], name: str) -> str:
    return f"\n\n![{name}]({plots[name]})" if name in plots else ""


_JUDGES = {"gate": "gate alone", "model": "critic model alone", "joined": "critic model and gate"}
