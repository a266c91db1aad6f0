"""`surefoot completion SHELL`: a script that completes commands and options, made from the commands themselves."""

from __future__ import annotations

import shlex
from enum import StrEnum
from typing import Annotated

import typer

INSTALL = {
    "bash": "surefoot completion bash > ~/.local/share/bash-completion/completions/surefoot",
    "zsh": 'surefoot completion zsh > "${fpath[1]}/_surefoot"',
    "fish": "surefoot completion fish > ~/.config/fish/completions/surefoot.fish",
}


class Shell(StrEnum):
    bash = "bash"
    zsh = "zsh"
    fish = "fish"


def command(shell: Annotated[Shell, typer.Argument(help="The shell to make it for.")]) -> None:
    words = completions()
    made = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell.value](words)
    print(f"{made}\n# Install it with: {INSTALL[shell.value]}")


def completions() -> dict[str, list[str]]:
    """What may follow: `""` the commands, `packs` its commands, `packs show` and `ask` their options."""
    from surefoot.cli.main import COMMANDS, load_command

    found: dict[str, list[str]] = {"": [*COMMANDS, "--help", "--version"]}
    for name in COMMANDS:
        made = typer.main.get_command(load_command(name))
        inner = getattr(made, "commands", {})
        found[name] = [*inner, *_options(made)]
        for below, item in inner.items():
            found[f"{name} {below}"] = _options(item)
    return found


def _options(command: object) -> list[str]:
    parameters = getattr(command, "params", [])
    named = [name for parameter in parameters for name in getattr(parameter, "opts", []) if name.startswith("--")]
    return [*dict.fromkeys([*named, "--help"])]


def _bash(words: dict[str, list[str]]) -> str:
    return f"""{_follow(words)}
_surefoot() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words
  words="$(_surefoot_follow "${{COMP_WORDS[1]}}" "${{COMP_WORDS[2]}}" "$COMP_CWORD")"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _surefoot surefoot"""


def _zsh(words: dict[str, list[str]]) -> str:
    return f"""#compdef surefoot
{_follow(words)}
_surefoot() {{
  local -a found
  found=(${{=$(_surefoot_follow "${{words[2]}}" "${{words[3]}}" $((CURRENT - 1)))}})
  compadd -a found || _files
}}
compdef _surefoot surefoot"""


def _follow(words: dict[str, list[str]]) -> str:
    """A function of bash and zsh; $1 and $2: the first two words; $3: which word is being typed."""
    return f"""_surefoot_follow() {{
  if [ "$3" -le 1 ]; then echo {shlex.quote(" ".join(words[""]))}; return; fi
  if [ "$3" -gt 2 ]; then
    case "$1 $2" in
{_cases({place: follow for place, follow in words.items() if " " in place})}
    esac
  fi
  case "$1" in
{_cases({place: follow for place, follow in words.items() if place and " " not in place})}
  esac
}}"""


def _cases(words: dict[str, list[str]]) -> str:
    lines = (
        f"{shlex.quote(place)}) echo {shlex.quote(' '.join(follow))}; return ;;" for place, follow in words.items()
    )
    return "\n".join(f"      {line}" for line in lines)


def _fish(words: dict[str, list[str]]) -> str:
    lines = ["complete -c surefoot -n __fish_use_subcommand -f -a " + shlex.quote(" ".join(words[""]))]
    for place, follow in words.items():
        seen = [f"__fish_seen_subcommand_from {word}" for word in place.split()]
        if place:
            lines.append(
                f"complete -c surefoot -n {shlex.quote('; and '.join(seen))} -a {shlex.quote(' '.join(follow))}"
            )
    return "\n".join(lines)
