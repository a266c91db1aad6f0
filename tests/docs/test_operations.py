"""The operations page and the deployment files say what the code does."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import yaml

from surefoot.observe.metrics import PrometheusMeter
from surefoot.server.app import ROUTERS
from surefoot.server.guard import PROBES
from surefoot.server.process import DRAIN_SECONDS, LINGER_SECONDS
from surefoot.settings import Settings

ROOT = Path(__file__).parents[2]
DEPLOYMENT = (ROOT / "Dockerfile", ROOT / "compose.yaml", ROOT / "deploy" / "kubernetes.yaml")
OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
HTTP_API = (ROOT / "docs" / "http-api.md").read_text(encoding="utf-8")


def test_every_setting_is_on_the_page_with_its_default_and_what_it_says() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \| (\S.*) \|$", OPERATIONS.split("## Settings")[1], re.M)
    known = {field.name: field.default for field in dataclasses.fields(Settings) if field.name != "environment"}
    assert [name for name, _, _ in rows] == list(known)
    for name, default, _ in rows:
        assert default.replace("_", "") == ("–" if known[name] in (None, ()) else str(known[name])), name


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
    assert set(_compose()["services"]) == {"surefoot", "page", "qdrant", "redis"}
    assert _container()["ports"][0]["containerPort"] == Settings().port
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert f"EXPOSE {Settings().port}" in dockerfile
    assert "USER surefoot" in dockerfile


def test_every_variable_of_the_deployment_files_is_a_setting() -> None:
    known = {f"SUREFOOT_{field.name.upper()}" for field in dataclasses.fields(Settings)}
    for path in DEPLOYMENT:
        used = set(re.findall(r"\bSUREFOOT_\w+", path.read_text()))
        assert used, path.name
        assert used <= known, path.name


def test_every_probe_asks_an_address_that_is_open_to_all() -> None:
    asked = set(re.findall(r"127\.0\.0\.1:(\d+)(/\w+)", (ROOT / "Dockerfile").read_text()))
    asked |= {
        (str(_container()["ports"][0]["containerPort"]), probe["httpGet"]["path"])
        for name, probe in _container().items()
        if name.endswith("Probe")
    }
    paths = {route.path for router in ROUTERS for route in router.routes}
    assert asked == {(str(Settings().port), path) for path in PROBES & paths}


def test_the_knowledge_base_lies_on_the_volume_and_belongs_to_the_images_user() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    volume = re.search(r"^VOLUME (\S+)", dockerfile, re.M)
    uid = re.search(r"--uid (\d+)", dockerfile)
    assert volume is not None
    assert uid is not None
    assert f"SUREFOOT_KB={volume[1]}/" in dockerfile
    assert volume[1] in {mount["mountPath"] for mount in _container()["volumeMounts"]}
    assert _compose()["services"]["surefoot"]["volumes"] == [f"surefoot:{volume[1]}"]
    context = _pod()["securityContext"]
    assert {context[name] for name in ("runAsUser", "runAsGroup", "fsGroup")} == {int(uid[1])}


def test_whoever_stops_the_service_waits_until_it_has_drained() -> None:
    assert _pod()["terminationGracePeriodSeconds"] > DRAIN_SECONDS + LINGER_SECONDS
    given = _compose()["services"]["surefoot"]["stop_grace_period"]
    assert int(given.removesuffix("s")) > DRAIN_SECONDS + LINGER_SECONDS


def test_compose_and_kubernetes_run_the_same_image() -> None:
    services = _compose()["services"]
    assert services["surefoot"]["image"] == services["page"]["image"] == _container()["image"]


def _compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return loaded


def _pod() -> dict[str, Any]:
    kinds = {item["kind"]: item for item in yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text())}
    pod: dict[str, Any] = kinds["Deployment"]["spec"]["template"]["spec"]
    return pod


def _container() -> dict[str, Any]:
    container: dict[str, Any] = _pod()["containers"][0]
    return container


def test_a_fresh_meter_can_be_shown() -> None:
    assert b"surefoot_rule_pass_ratio" in PrometheusMeter().text()


def test_the_replicas_of_compose_share_everything_and_wait_until_they_have_drained() -> None:
    services = yaml.safe_load((ROOT / "deploy" / "compose.replicas.yaml").read_text())["services"]
    known = {f"SUREFOOT_{field.name.upper()}" for field in dataclasses.fields(Settings)}
    door = (ROOT / "deploy" / "nginx.conf").read_text()
    for name in ("one", "two"):
        given = services[name]["environment"]
        assert set(given) <= known
        assert given["SUREFOOT_STORE_URL"].startswith("postgresql://")
        assert "volumes" not in services[name]
        assert int(services[name]["stop_grace_period"].removesuffix("s")) > DRAIN_SECONDS + LINGER_SECONDS
        assert f"server {name}:{Settings().port}" in door
    assert services["one"]["image"] == _compose()["services"]["surefoot"]["image"]
