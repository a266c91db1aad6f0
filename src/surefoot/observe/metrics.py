"""Counters and timings for Prometheus, all named `surefoot_*`; a silent meter where nobody listens.

Quantiles are served twice: as histograms for a fleet, and ready-made (p50, p95, p99 of the last observations of this
process), so that one `curl` answers what a person asks first.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from surefoot.core.errors import MissingExtraError
from surefoot.core.taxonomy import family
from surefoot.core.types import Decision, RuleStatus, VerificationResult

QUANTILES = (0.5, 0.95, 0.99)
WINDOW = 1024
"""Observations the ready-made quantiles look back on, per label set."""
MAX_LABEL_SETS = 200
"""A metric's label sets beyond this share one named `other`: no caller can blow up memory."""
BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 5.0, 10.0, 30.0, 60.0)

HELP: Mapping[str, str] = {
    "decisions": "decisions of the gate",
    "issues": "issues found, by type, code and severity",
    "rule_checks": "stage 1 outcomes: PASS, FAIL or NEEDS_REVIEW",
    "llm_skips": "verifications whose critic was skipped",
    "fallbacks": "safe texts delivered instead of drafts, by reason",
    "revisions": "repairs made and verified again, by kind",
    "cache_requests": "cache lookups, by tier and outcome",
    "rejected_replies": "replies of a model that were not accepted, by role and reason",
    "http_requests": "HTTP requests, by route, method and status",
    "stage": "time of one stage of verification",
    "verify": "time of one verification",
    "http": "time of one HTTP request",
    "node": "time of one step of the workflow",
}


class SilentMeter:
    """Counts nothing."""

    def decided(self, result: VerificationResult) -> None: ...

    def count(self, name: str, **labels: str) -> None: ...

    def observe(self, name: str, milliseconds: float, **labels: str) -> None: ...


class PrometheusMeter:
    """Implements core.ports.Meter over a registry of its own, so that two services in one process do not mix."""

    def __init__(self) -> None:
        try:
            import prometheus_client
        except ImportError as error:
            raise MissingExtraError("prometheus-client", "server") from error
        self._library: Any = prometheus_client
        self.registry: Any = prometheus_client.CollectorRegistry(auto_describe=True)
        self._lock = threading.Lock()
        self._metrics: dict[tuple[str, str], Any] = {}
        self._labels: dict[str, set[tuple[str, ...]]] = {}
        self._recent: dict[tuple[str, tuple[tuple[str, str], ...]], deque[float]] = {}
        self._known: dict[tuple[Any, ...], tuple[Any, deque[float]]] = {}
        """What a call with these labels counts into. A request counts a dozen things, and always the same ones."""
        self._rules_passed = self._rules_run = 0
        self.registry.register(self)

    def decided(self, result: VerificationResult) -> None:
        metadata = result.metadata
        reason = family(metadata.fallback_reason) if metadata.fallback_reason else "none"
        self.count("decisions", decision=result.decision.value, reason=reason)
        self.count("rule_checks", status=metadata.rule_status.value)
        for issue in metadata.issues_detected:
            self.count("issues", type=issue.type.value, code=family(issue.code), severity=issue.severity.value)
        for revision in metadata.revisions_applied:
            self.count("revisions", kind=revision.kind)
        if result.decision is Decision.FALLBACK:
            self.count("fallbacks", reason=reason)
        if "critic" not in metadata.stages_completed:
            self.count("llm_skips")
        for stage, milliseconds in metadata.stage_times_ms.items():
            self.observe("stage", milliseconds, stage=stage)
        self.observe("verify", metadata.processing_time_ms)
        with self._lock:
            self._rules_run += 1
            self._rules_passed += metadata.rule_status is RuleStatus.PASS

    def count(self, name: str, **labels: str) -> None:
        self._place("Counter", name, labels)[0].inc()

    def observe(self, name: str, milliseconds: float, **labels: str) -> None:
        histogram, recent = self._place("Histogram", name, labels)
        histogram.observe(milliseconds / 1000)
        with self._lock:
            recent.append(milliseconds / 1000)

    def gauge(self, name: str, value: float, **labels: str) -> None:
        self._place("Gauge", name, labels)[0].set(value)

    def text(self) -> bytes:
        """The page Prometheus scrapes."""
        page: bytes = self._library.generate_latest(self.registry)
        return page

    def collect(self) -> Iterable[Any]:
        """The ready-made quantiles and the rule pass rate, computed when somebody looks."""
        from prometheus_client.core import GaugeMetricFamily

        with self._lock:
            recent = {key: sorted(values) for key, values in self._recent.items()}
            passed, run = self._rules_passed, self._rules_run
        families: dict[str, Any] = {}
        for (name, labels), values in sorted(recent.items()):
            if name not in families:
                names = [*(key for key, _ in labels), "quantile"]
                title = f"surefoot_{name}_quantile_seconds"
                families[name] = GaugeMetricFamily(title, f"{HELP.get(name, name)}: recent quantiles", labels=names)
            for quantile in QUANTILES:
                value = values[min(len(values) - 1, int(quantile * len(values)))]
                families[name].add_metric([*(text for _, text in labels), str(quantile)], value)
        yield from families.values()
        rate = GaugeMetricFamily("surefoot_rule_pass_ratio", "share of verifications whose rules all passed")
        if run:
            rate.add_metric([], passed / run)
        yield rate

    def _place(self, kind: str, name: str, labels: Mapping[str, str]) -> tuple[Any, deque[float]]:
        """The metric's child for these labels, and for a histogram its recent observations."""
        key = (kind, name, *labels.items())
        found = self._known.get(key)
        if found is None:
            bounded = self._bounded(name, labels)
            found = self._found(kind, name, bounded)
            if bounded == labels:  # strange labels share one place and are not remembered
                self._known[key] = found
        return found

    def _found(self, kind: str, name: str, labels: Mapping[str, str]) -> tuple[Any, deque[float]]:
        recent: deque[float] = deque(maxlen=WINDOW)
        with self._lock:
            metric = self._metrics.get((kind, name))
            if metric is None:
                metric = self._made(kind, name, sorted(labels))
                self._metrics[(kind, name)] = metric
            if kind == "Histogram":
                recent = self._recent.setdefault((name, tuple(sorted(labels.items()))), recent)
        return metric.labels(**labels) if labels else metric, recent

    def _made(self, kind: str, name: str, labels: list[str]) -> Any:
        title = f"surefoot_{name}_seconds" if kind == "Histogram" else f"surefoot_{name}"
        more = {"buckets": BUCKETS_S} if kind == "Histogram" else {}
        return getattr(self._library, kind)(title, HELP.get(name, name), labels, registry=self.registry, **more)

    def _bounded(self, name: str, labels: Mapping[str, str]) -> dict[str, str]:
        values = tuple(labels[key] for key in sorted(labels))
        with self._lock:
            known = self._labels.setdefault(name, set())
            if values in known:
                return dict(labels)
            if len(known) >= MAX_LABEL_SETS:
                return dict.fromkeys(labels, "other")
            known.add(values)
        return dict(labels)
