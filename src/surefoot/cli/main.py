"""The command line: a table of commands, each imported only when it is called."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING

from surefoot import __version__

if TYPE_CHECKING:
    import typer

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("surefoot.cli.init", "Make a folder with a config, a sample document and what to do next."),
    "ask": ("surefoot.cli.ask", "Answer a question from the knowledge base, with proof."),
    "verify": ("surefoot.cli.verify", "Verify a draft answer against its sources."),
    "ingest": ("surefoot.cli.ingest", "Add, update and remove documents of the knowledge base."),
    "judge": ("surefoot.cli.judge", "Weigh a situation against curated references."),
    "certificate": ("surefoot.cli.certificate", "Re-check the proof that came with an answer."),
    "packs": ("surefoot.cli.packs", "List, show, make, check and compare packs."),
    "regress": ("surefoot.cli.regress", "Run a pack's recorded cases."),
    "dataset": ("surefoot.cli.dataset", "Build audited fine-tuning datasets from a corpus."),
    "store": ("surefoot.cli.store", "Copy a knowledge base, or compare two."),
    "cache": ("surefoot.cli.cache", "Explain what the answer cache holds."),
    "gaps": ("surefoot.cli.gaps", "Report what the knowledge base lacks."),
    "graph": ("surefoot.cli.graph", "Print the workflow as a diagram."),
    "replay": ("surefoot.cli.replay", "Reproduce a past decision, or see which would flip."),
    "runs": ("surefoot.cli.runs", "List and show past decisions, and prove their log whole."),
    "feedback": ("surefoot.cli.feedback", "Say whether a past decision was right."),
    "calibrate": ("surefoot.cli.calibrate", "Choose thresholds for a stated risk."),
    "models": ("surefoot.cli.models", "List the models, and fetch the one that is not shipped."),
    "bench": ("surefoot.cli.bench", "Measure grounding, retrieval, mutations and speed."),
    "serve": ("surefoot.cli.serve", "Run the HTTP service."),
    "keys": ("surefoot.cli.keys", "Make, list and revoke API keys that replicas share."),
    "ui": ("surefoot.cli.ui", "Open the web page against a running service."),
    "mcp": ("surefoot.cli.mcp", "Run the MCP server."),
    "doctor": ("surefoot.cli.doctor", "Check this installation and say what is missing."),
    "completion": ("surefoot.cli.completion", "Print the completion script of bash, zsh or fish."),
}
EXIT_CODES = {
    0: "done; an answer was approved or revised",
    1: "something failed, or a check found a fault",
    2: "bad input: a file, an option, a setting",
    3: "fallback: a safe text instead of the answer",
    4: "rejected: there is nothing to say",
    5: "a certificate does not hold",
}


def run(arguments: Sequence[str] | None = None) -> None:
    """The entry point: every foreseeable failure is one line and an exit code, never a traceback."""
    args = list(sys.argv[1:] if arguments is None else arguments)
    # Python's last act would be to search everything once more for garbage: a tenth of a short command's time.
    atexit.register(gc.freeze)
    try:
        sys.exit(_dispatch(args))
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has gone; Python must not complain again when it flushes.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        sys.exit(0)


def _dispatch(args: list[str]) -> int:
    if not args or args[0] in ("-h", "--help", "help"):
        print(help_text(), flush=True)
        return 0
    if args[0] == "--version":
        print(f"surefoot {__version__}")
        return 0
    if args[0] not in COMMANDS:
        near = get_close_matches(args[0], COMMANDS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "see surefoot --help"
        print(f"surefoot: no such command {args[0]!r}; {hint}", file=sys.stderr)
        return 2
    return _call(args[0], args[1:])


def help_text() -> str:
    """Made from the table alone, so that `surefoot --help` answers at once."""
    rows = "\n".join(f"  {name:<12} {text}" for name, (_, text) in COMMANDS.items())
    codes = "\n".join(f"  {code:<12} {text}" for code, text in EXIT_CODES.items())
    return (
        "Surefoot answers questions from a knowledge base and lets nothing out that it cannot prove.\n\n"
        "Usage: surefoot COMMAND [OPTIONS]   (surefoot COMMAND --help says more)\n\n"
        f"Commands:\n{rows}\n\nOptions:\n  --version    Show the version.\n  --help       Show this.\n\n"
        f"Exit codes:\n{codes}"
    )


def load_command(name: str) -> typer.Typer:
    """Imports a command's module: a typer `app` for a group, or a `command` function."""
    import typer

    module = import_module(COMMANDS[name][0])
    app: typer.Typer | None = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        app.command(help=COMMANDS[name][1])(module.command)
    return app


def _call(name: str, args: list[str]) -> int:
    from surefoot.core.errors import InputError, SurefootError

    try:
        load_command(name)(args=args, prog_name=f"surefoot {name}")
    except SurefootError as error:
        print(f"surefoot: {error}", file=sys.stderr)
        return 2 if isinstance(error, InputError) else 1
    return 0
