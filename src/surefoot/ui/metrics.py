"""The Metrics view: Prometheus' page as plots."""

from __future__ import annotations

import re

import pandas
import streamlit as st

from surefoot.ui import charts, markup, words
from surefoot.ui.client import Service

Sample = tuple[dict[str, str], float]
WITHIN = {"0.5": "half within", "0.95": "95 % within", "0.99": "99 % within"}


def view(service: Service) -> None:
    st.header("Metrics", anchor=False)
    samples = parse(service.text("/metrics"))
    decisions = _by(samples, "surefoot_decisions_total", "decision")
    total = sum(decisions.values())
    if not total:
        st.info("Nothing has been decided yet.", icon=":material/monitoring:")
        return
    tiles = st.columns(4)
    tiles[0].metric("Decisions", f"{total:.0f}")
    tiles[1].metric("Answered", f"{(decisions.get('approved', 0) + decisions.get('revised', 0)) / total:.0%}")
    tiles[2].metric("Passed every rule", f"{_one(samples, 'surefoot_rule_pass_ratio'):.0%}")
    tiles[3].metric("Decided without a language model", f"{_one(samples, 'surefoot_llm_skips_total'):.0f}")
    left, right = st.columns(2)
    left.subheader("Decisions", anchor=False)
    left.altair_chart(charts.counted({words.DECISIONS.get(k, ("", k))[1]: n for k, n in decisions.items()}))
    right.subheader("What was found in drafts", anchor=False)
    issues = _by(samples, "surefoot_issues_total", "code")
    if issues:
        right.altair_chart(charts.counted({words.of_code(code): count for code, count in issues.items()}))
    else:
        right.caption("Nothing so far.")
    st.subheader("How long the check takes, in milliseconds", anchor=False)
    stages = _quantiles(samples)
    st.altair_chart(charts.quantiles(stages))
    rows = [
        [stage, *(f"{value:.1f}" for value in times)] for stage, times in zip(stages.index, stages.values, strict=True)
    ]
    st.html(markup.table(["stage", *stages.columns], rows))
    with st.expander("What was remembered, and every request", icon=":material/list:"):
        st.html(markup.table(["what", "remembered", "made anew", "spoilt"], _remembered(samples)))
        st.html(markup.table(["request", "status", "how often"], _requests(samples)))


def parse(page: str) -> dict[str, list[Sample]]:
    """Prometheus' text format: name to its (labels, value) samples."""
    found: dict[str, list[Sample]] = {}
    for line in page.splitlines():
        match = re.fullmatch(r"(\w+)(?:\{(.*)\})? ([-+.\deEinfNa]+)", line)
        if match:
            labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match.group(2) or ""))
            found.setdefault(match.group(1), []).append((labels, float(match.group(3))))
    return found


def _by(samples: dict[str, list[Sample]], name: str, label: str) -> dict[str, float]:
    sums: dict[str, float] = {}
    for labels, value in samples.get(name, []):
        sums[labels.get(label, "")] = sums.get(labels.get(label, ""), 0) + value
    return sums


def _one(samples: dict[str, list[Sample]], name: str) -> float:
    return samples[name][0][1] if samples.get(name) else 0.0


def _quantiles(samples: dict[str, list[Sample]]) -> pandas.DataFrame:
    rows: dict[str, dict[str, float]] = {}
    for labels, value in samples.get("surefoot_stage_quantile_seconds", []):
        stage = words.STAGES.get(labels["stage"], labels["stage"])
        rows.setdefault(stage, {})[WITHIN[labels["quantile"]]] = value * 1000
    return pandas.DataFrame.from_dict(rows, orient="index")


def _remembered(samples: dict[str, list[Sample]]) -> list[list[str]]:
    counts: dict[str, dict[str, float]] = {}
    for labels, value in samples.get("surefoot_cache_requests_total", []):
        counts.setdefault(labels["tier"], {})[labels["outcome"]] = value
    return [
        [words.TIERS.get(tier, tier), *(f"{found.get(name, 0):.0f}" for name in ("hit", "miss", "poisoned"))]
        for tier, found in sorted(counts.items())
    ]


def _requests(samples: dict[str, list[Sample]]) -> list[list[str]]:
    found = samples.get("surefoot_http_requests_total", [])
    rows = [(f"{labels['method']} {labels['route']}", labels["status"], value) for labels, value in found]
    return [[what, status, f"{count:.0f}"] for what, status, count in sorted(rows, key=lambda row: -row[2])]
