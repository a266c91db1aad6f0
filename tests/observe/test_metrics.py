"""What Prometheus reads."""

from __future__ import annotations

from surefoot.core.types import VerificationResult
from surefoot.observe.metrics import MAX_LABEL_SETS, PrometheusMeter, SilentMeter


def test_a_decision_is_counted_with_its_issues_rules_skips_and_times(result: VerificationResult) -> None:
    meter = PrometheusMeter()
    meter.decided(result)
    page = meter.text().decode()
    for line in (
        'surefoot_decisions_total{decision="fallback",reason="policy"} 1.0',
        'surefoot_issues_total{code="value_mismatch",severity="high",type="inaccuracy"} 2.0',
        'surefoot_rule_checks_total{status="FAIL"} 1.0',
        'surefoot_fallbacks_total{reason="policy"} 1.0',
        "surefoot_llm_skips_total 1.0",
        'surefoot_revisions_total{kind="replace"} 1.0',
        'surefoot_stage_quantile_seconds{quantile="0.99",stage="grounding"} 0.009',
        'surefoot_stage_seconds_count{stage="rules"} 1.0',
        "surefoot_rule_pass_ratio 0.0",
    ):
        assert line in page


def test_every_name_starts_with_surefoot(result: VerificationResult) -> None:
    meter = PrometheusMeter()
    meter.decided(result)
    meter.count("cache_requests", tier="answer", outcome="hit")
    meter.gauge("queue_waiting", 3)
    names = [line.split("{")[0].split(" ")[0] for line in meter.text().decode().splitlines() if line[0] != "#"]
    assert names
    assert all(name.startswith("surefoot_") for name in names)


def test_quantiles_are_of_the_observations_made(result: VerificationResult) -> None:
    meter = PrometheusMeter()
    for milliseconds in range(1, 101):
        meter.observe("stage", milliseconds, stage="rules")
    page = meter.text().decode()
    assert 'surefoot_stage_quantile_seconds{quantile="0.5",stage="rules"} 0.051' in page
    assert 'surefoot_stage_quantile_seconds{quantile="0.95",stage="rules"} 0.096' in page


def test_a_flood_of_label_values_ends_in_one_called_other() -> None:
    meter = PrometheusMeter()
    for number in range(MAX_LABEL_SETS + 50):
        meter.count("http_requests", route=f"/{number}")
    page = meter.text().decode()
    assert 'surefoot_http_requests_total{route="other"} 50.0' in page
    assert page.count("surefoot_http_requests_total{") == MAX_LABEL_SETS + 1


def test_strange_labels_are_counted_together_and_known_ones_still_apart() -> None:
    meter = PrometheusMeter()
    for number in range(MAX_LABEL_SETS + 3):
        meter.observe("http", 1.0, route=f"/{number}")
    for route in ("/0", "/0", f"/{MAX_LABEL_SETS}"):
        meter.observe("http", 1.0, route=route)
    page = meter.text().decode()
    assert 'surefoot_http_seconds_count{route="/0"} 3.0' in page
    assert 'surefoot_http_seconds_count{route="other"} 4.0' in page
    assert 'surefoot_http_quantile_seconds{quantile="0.5",route="other"} 0.001' in page


def test_two_meters_do_not_mix() -> None:
    first, second = PrometheusMeter(), PrometheusMeter()
    first.count("llm_skips")
    assert "surefoot_llm_skips_total 1.0" not in second.text().decode()


def test_the_silent_meter_takes_everything(result: VerificationResult) -> None:
    meter = SilentMeter()
    meter.decided(result)
    meter.count("x", y="z")
    meter.observe("x", 1.0)
