"""The operations page and the deployment files say what the code does."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import yaml

from surefoot.observe.metrics import PrometheusMeter
from surefoot.server.app import ROUTERS
from surefoot.settings import Settings

ROOT = Path(__file__).parents[2]
OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
HTTP_API = (ROOT / "docs" / "http-api.md").read_text(encoding="utf-8")


def test_every_setting_is_on_the_page() -> None:
    named = set(re.findall(r"^\| `(\w+)` \|", OPERATIONS.split("## Settings")[1], re.M))
    assert named == {field.name for field in dataclasses.fields(Settings)} - {"environment"}


def test_every_address_is_on_the_page() -> None:
    for router in ROUTERS:
        for route in router.routes:
            start = "/".join(route.path.split("/")[:3])
            assert start in HTTP_API, route.path


def test_the_dashboard_and_the_alerts_ask_only_for_metrics_that_exist() -> None:
    written = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    dashboard = json.loads((ROOT / "deploy" / "grafana.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    alerts = yaml.safe_load((ROOT / "deploy" / "alerts.yaml").read_text())
    asked += [rule["expr"] for group in alerts["groups"] for rule in group["rules"]]
    for name in set(re.findall(r"surefoot_(\w+)", " ".join(asked))):
        plain = re.sub(r"_(total|seconds_bucket)$", "", name)
        assert f'"{plain}"' in written or f"surefoot_{plain}" in written, name


def test_the_deployment_files_are_valid_and_agree_on_port_and_user() -> None:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    assert set(compose["services"]) == {"surefoot", "page", "qdrant", "redis"}
    kinds = {item["kind"]: item for item in yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text())}
    container = kinds["Deployment"]["spec"]["template"]["spec"]["containers"][0]
    assert container["ports"][0]["containerPort"] == Settings().port
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert f"EXPOSE {Settings().port}" in dockerfile
    assert "USER surefoot" in dockerfile


def test_a_fresh_meter_can_be_shown() -> None:
    assert b"surefoot_rule_pass_ratio" in PrometheusMeter().text()
