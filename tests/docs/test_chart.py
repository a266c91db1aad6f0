"""The Helm chart: what can be said of its files alone, and what it becomes.

Its templates use nothing but what Go's own text/template has, so that Go or a port of it renders what Helm would. Tried
in turn: helm, go, the package gotpl. Where there is none, what Go made of the very same files is looked at, kept in
tests/golden/chart.json. After a change of the chart: python tests/docs/test_chart.py, with one of the three at hand.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import surefoot
from surefoot.core.hashing import sha256_text
from surefoot.server.process import DRAIN_SECONDS, LINGER_SECONDS
from surefoot.settings import Settings

ROOT = Path(__file__).parent.parent.parent
CHART = ROOT / "deploy" / "helm" / "surefoot"
TEMPLATES = sorted((CHART / "templates").iterdir())
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
GO = """package main

import ("encoding/json"; "os"; "text/template")

func main() {
	var given map[string]any
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil { panic(err) }
	for _, file := range os.Args[2:] {
		text, err := os.ReadFile(file)
		if err != nil { panic(err) }
		made := template.Must(template.New(file).Option("missingkey=error").Parse(string(text)))
		if err := made.Execute(os.Stdout, given); err != nil { panic(err) }
		os.Stdout.WriteString("\\n---\\n")
	}
}
"""
KEPT = ROOT / "tests" / "golden" / "chart.json"
CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "embedded": {"replicas": 5, "autoscaling": {"enabled": True}},
    "replicas": {"shared": True, "replicas": 3},
    "scaled": {"shared": True, "autoscaling": {"enabled": True, "maxReplicas": 12, "waiting": 6}},
    "quoted": {"settings": {"SUREFOOT_TRUST": 'a "quoted": #word'}},
}
"""Values given otherwise."""
Renderer = Callable[[dict[str, Any], list[Path]], str]
Made = dict[str, dict[str, Any]]


def by_helm(values: dict[str, Any], files: list[Path]) -> str:
    given = json.dumps(values)
    asked = [part for file in files for part in ("-s", f"templates/{file.name}")]
    command = ["helm", "template", "kb", str(CHART), "-f", "-", *asked]
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout


def by_go(values: dict[str, Any], files: list[Path]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        main = Path(folder) / "render.go"
        main.write_text(GO)
        command = ["go", "run", str(main), "--", *map(str, files)]
        given = json.dumps(_context(values))
        return subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout


def by_gotpl(values: dict[str, Any], files: list[Path]) -> str:
    import gotpl  # type: ignore[import-not-found]

    return "\n---\n".join(gotpl.render(file.read_text(), _context(values)) for file in files)


def renderer() -> Renderer | None:
    for program, render in (("helm", by_helm), ("go", by_go)):
        if shutil.which(program):
            return render
    return by_gotpl if importlib.util.find_spec("gotpl") else None


def made(case: str) -> Made:
    """The objects of the chart by kind, with the values of a case."""
    render = renderer()
    if render is not None:
        return rendered(case, render)
    kept = json.loads(KEPT.read_text())
    assert kept["of"] == digest(), "the chart has changed: python tests/docs/test_chart.py with helm, go or gotpl"
    objects: Made = kept["objects"][case]
    return objects


def rendered(case: str, render: Renderer) -> Made:
    values = json.loads(json.dumps(VALUES))
    for name, value in CASES[case].items():
        values[name] = {**values[name], **value} if isinstance(value, dict) else value
    files = [file for file in TEMPLATES if file.suffix == ".yaml"]
    return {one["kind"]: one for one in yaml.safe_load_all(render(values, files)) if one}


def digest() -> str:
    """Of everything that rendering depends on."""
    files = [*TEMPLATES, CHART / "Chart.yaml", CHART / "values.yaml"]
    return sha256_text(json.dumps([[file.name, file.read_text()] for file in files] + [CASES]))


def _context(values: dict[str, Any]) -> dict[str, Any]:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    return {"Values": values, "Release": {"Name": "kb"}, "Chart": {"AppVersion": chart["appVersion"]}}


def container(objects: Made) -> dict[str, Any]:
    found: dict[str, Any] = objects["Deployment"]["spec"]["template"]["spec"]["containers"][0]
    return found


def test_the_chart_names_this_version() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["apiVersion"] == "v2"
    assert chart["version"] == chart["appVersion"] == VALUES["image"]["tag"] == surefoot.__version__


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: file.name)
def test_a_template_asks_for_values_that_exist_and_every_block_is_closed(file: Path) -> None:
    text = file.read_text()
    for path in re.findall(r"\.Values((?:\.\w+)+)", text):
        found: Any = VALUES
        for part in path.strip(".").split("."):
            assert part in found, f"{file.name} asks for {path}"
            found = found[part]
    actions = re.findall(r"\{\{-?\s*(\w+)", text)
    assert sum(action in ("if", "range") for action in actions) == actions.count("end")


def test_every_value_is_asked_for_somewhere() -> None:
    asked = "".join(file.read_text() for file in TEMPLATES)
    leaves = [f"{name}.{inner}" if inner else name for name, inner in _leaves()]
    assert [leaf for leaf in leaves if f".Values.{leaf}" not in asked] == []


def _leaves() -> list[tuple[str, str]]:
    nested = [(name, inner) for name, value in VALUES.items() if isinstance(value, dict) for inner in value]
    plain = [(name, "") for name, value in VALUES.items() if not isinstance(value, dict)]
    return [*plain, ("settings", ""), *((name, inner) for name, inner in nested if name != "settings")]


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: file.name)
def test_a_template_uses_only_what_go_itself_has(file: Path) -> None:
    allowed = {"if", "else", "end", "range", "not", "and", "printf", "print"}
    for action in re.findall(r"\{\{-?(.*?)-?\}\}", file.read_text()):
        plain = re.sub(r'"[^"]*"', "", action)
        assert set(re.findall(r"(?<![.$\w])[a-z]\w*", plain)) <= allowed


def test_every_variable_is_a_setting() -> None:
    known = {f"SUREFOOT_{field.name.upper()}" for field in dataclasses.fields(Settings)}
    named = set(re.findall(r"SUREFOOT_\w+", "".join(file.read_text() for file in [*TEMPLATES, CHART / "values.yaml"])))
    assert named <= known


def test_one_replica_owns_an_embedded_store() -> None:
    objects = made("embedded")
    assert set(objects) == {"Deployment", "Service", "PersistentVolumeClaim"}
    spec = objects["Deployment"]["spec"]
    assert (spec["replicas"], spec["strategy"]["type"]) == (1, "Recreate")
    assert {one["name"] for one in container(objects)["env"]} == {"SUREFOOT_API_KEYS", "SUREFOOT_WORKERS"}


def test_without_shared_it_is_what_the_plain_file_makes() -> None:
    plain = {one["kind"]: one for one in yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text())}
    objects = made("plain")
    mine, theirs = container(objects), container(plain)
    same = ("image", "ports", "resources", "securityContext", "startupProbe", "readinessProbe", "livenessProbe")
    assert {name: mine[name] for name in same} == {name: theirs[name] for name in same}
    assert mine["volumeMounts"] == theirs["volumeMounts"]


def test_replicas_share_a_store_and_one_at_a_time_may_be_taken_away() -> None:
    objects = made("replicas")
    assert set(objects) == {"Deployment", "Service", "PodDisruptionBudget"}
    spec = objects["Deployment"]["spec"]
    assert (spec["replicas"], spec["strategy"]["rollingUpdate"]["maxUnavailable"]) == (3, 0)
    keys = {
        one["name"]: one["valueFrom"]["secretKeyRef"]["key"] for one in container(objects)["env"] if "valueFrom" in one
    }
    assert keys["SUREFOOT_STORE_URL"] == "store-url"
    assert keys["SUREFOOT_REDIS_URL"] == "redis-url"
    budget = objects["PodDisruptionBudget"]["spec"]
    assert budget["maxUnavailable"] == 1
    labels = spec["template"]["metadata"]["labels"]
    selected = (
        budget["selector"]["matchLabels"],
        spec["selector"]["matchLabels"],
        objects["Service"]["spec"]["selector"],
    )
    assert all(one == labels for one in selected)


def test_replicas_are_added_while_questions_wait() -> None:
    objects = made("scaled")
    assert "replicas" not in objects["Deployment"]["spec"], "an upgrade would undo what was scaled"
    scaler = objects["HorizontalPodAutoscaler"]["spec"]
    assert scaler["scaleTargetRef"]["name"] == objects["Deployment"]["metadata"]["name"]
    assert (scaler["minReplicas"], scaler["maxReplicas"]) == (2, 12)
    (metric,) = scaler["metrics"]
    assert metric["pods"]["metric"]["name"] == "surefoot_waiting"
    assert metric["pods"]["target"] == {"type": "AverageValue", "averageValue": "6"}


def test_a_replica_has_time_to_drain() -> None:
    pod = made("replicas")["Deployment"]["spec"]["template"]["spec"]
    assert pod["terminationGracePeriodSeconds"] > DRAIN_SECONDS + LINGER_SECONDS


def test_a_setting_is_text_whatever_stands_in_it() -> None:
    objects = made("quoted")
    (trust,) = [one for one in container(objects)["env"] if one["name"] == "SUREFOOT_TRUST"]
    assert trust["value"] == 'a "quoted": #word'


def test_what_is_kept_is_what_is_rendered() -> None:
    render = renderer()
    if render is None:
        pytest.skip("nothing renders the chart here: install helm, go or gotpl")
    kept = json.loads(KEPT.read_text())
    assert kept == {"of": digest(), "objects": {case: rendered(case, render) for case in CASES}}


def test_helm_itself_finds_nothing_to_say() -> None:
    if not shutil.which("helm"):
        pytest.skip("helm is not installed")
    subprocess.run(["helm", "lint", "--strict", str(CHART)], check=True)


if __name__ == "__main__":
    chosen = renderer()
    if chosen is None:
        raise SystemExit("install helm, go or gotpl")
    objects = {case: rendered(case, chosen) for case in CASES}
    KEPT.write_text(json.dumps({"of": digest(), "objects": objects}, indent=1, sort_keys=True) + "\n")
