"""Bash in which `surefoot` is answered by the process that asks: real scripts, without a start of Python a command."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from surefoot.cli.main import run

_CLIENT = """#!{python} -IS
import json, os, socket, sys
if sys.argv[1] == "serve" and "--new-key" not in sys.argv:  # it does not end, so it needs a process of its own
    os.execv({real!r}, ["surefoot", *sys.argv[1:]])
asked = socket.socket(socket.AF_UNIX)
asked.connect({place!r})
asked.sendall(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode() + b"\\n")
code, out, err = json.loads(asked.makefile("rb").read())
sys.stdout.write(out)
sys.stderr.write(err)
sys.exit(code)
"""


def bash(script: str, folder: Path) -> str:
    """Runs a script in a folder, which is also its home; gives back what it printed. Stops at the first failure."""
    tools, place = folder / ".tools", str(folder / ".tools" / "s")
    tools.mkdir()
    command = tools / "surefoot"
    real = str(Path(sys.executable).parent / "surefoot")
    command.write_text(_CLIENT.format(python=sys.executable, real=real, place=place), encoding="utf-8")
    command.chmod(0o755)
    env = {name: value for name, value in os.environ.items() if not name.startswith("SUREFOOT_")}
    env |= {"HOME": str(folder), "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "SUREFOOT_DEADLINE_MS": "60000"}
    printed = folder / ".printed"
    with socket.socket(socket.AF_UNIX) as door, printed.open("wb") as out:
        door.bind(place)
        door.listen()
        door.settimeout(0.05)
        running = subprocess.Popen(
            ["bash", "-c", f"set -e\n{script}"], stdout=out, stderr=subprocess.STDOUT, cwd=folder, env=env
        )
        while running.poll() is None:
            try:
                asked, _ = door.accept()
            except TimeoutError:
                continue
            with asked:
                asked.settimeout(None)
                words, where, variables = json.loads(asked.makefile("rb").readline())
                asked.sendall(json.dumps(_answered(words, where, variables)).encode())
    text = printed.read_text(encoding="utf-8")
    assert running.returncode == 0, text
    return text


def _answered(words: list[str], where: str, variables: dict[str, str]) -> tuple[int, str, str]:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    code: object = 0
    with chdir(where), patch.dict(os.environ, variables, clear=True), redirect_stdout(out), redirect_stderr(err):
        try:
            run(words)
        except SystemExit as ended:
            code = ended.code
    for stream in (out, err):
        stream.seek(0)
    return code if isinstance(code, int) else 0, out.read(), err.read()
