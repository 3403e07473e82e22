"""The command `gossamer completion`: a script for a shell, made from the parsers of commands."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from gossamer.entrypoints.cli.command import DONE, print_result
from gossamer.entrypoints.cli.main import COMMANDS, parser, parser_of

DESCRIPTION = """\
Print a script that lets a shell complete commands, flags, choices and names of files with the key
Tab. Begin a new shell afterwards.
"""
EXAMPLES = """\
examples:
  gossamer completion bash > ~/.local/share/bash-completion/completions/gossamer
  gossamer completion zsh > ~/.zsh/completions/_gossamer      a folder of $fpath
  gossamer completion fish > ~/.config/fish/completions/gossamer.fish
"""
# What an argument stands for, by how its help calls it.
FOLDERS = ("DIR", "FOLDER")
FILES = ("FILE", "WARC", "SEGMENT", "WARC|FOLDER")


class Argument(NamedTuple):
    """A flag or a positional argument, as a shell must know it."""

    names: tuple[str, ...]  # none: positional
    help: str
    takes: str  # "": nothing; "file", "folder", "choice", or "text"
    choices: tuple[str, ...]
    repeats: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which shell."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description, parser.epilog = DESCRIPTION, EXAMPLES
    parser.add_argument("shell", choices=tuple(SHELLS), help="which shell the script is for")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    script = SHELLS[args.shell]()
    print_result(args, {"shell": args.shell, "script": script}, script)
    return DONE


def arguments_of(of: argparse.ArgumentParser) -> list[Argument]:
    """The arguments of a parser that its help shows, flags first."""
    shown = [each for each in of._actions if each.help != argparse.SUPPRESS]
    made = [_argument(each) for each in shown if not isinstance(each, argparse._SubParsersAction)]
    return sorted(made, key=lambda argument: not argument.names)


def _argument(action: argparse.Action) -> Argument:
    choices = tuple(map(str, action.choices or ()))
    metavar = str(action.metavar or "")
    kinds = {"choice": bool(choices), "folder": metavar in FOLDERS, "file": metavar in FILES}
    takes = next((kind for kind, applies in kinds.items() if applies), "text")
    if action.option_strings and action.nargs == 0:
        takes = ""
    repeats = isinstance(action, argparse._AppendAction) or action.nargs in ("*", "+")
    help = (action.help or "").replace("%(default)s", str(action.default))
    return Argument(tuple(action.option_strings), help, takes, choices, repeats)


def _commands() -> dict[str, list[Argument]]:
    return {name: arguments_of(parser_of(command)) for name, command in COMMANDS.items()}


BASH = """\
# bash completion of gossamer, made by `gossamer completion bash`
_gossamer() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
    local command= words= flags= at
    [[ $word == = ]] && word=
    [[ $before == = ]] && before=${{COMP_WORDS[COMP_CWORD-2]}}
    for ((at = 1; at < COMP_CWORD; at++)); do
        case ${{COMP_WORDS[at]}} in
            --stack) ((at++)) ;;
            -*) ;;
            *) command=${{COMP_WORDS[at]}}; break ;;
        esac
    done
    COMPREPLY=()
    case "$command $before" in
{after}
    esac
    case $command in
{words}
    esac
    [[ $word == -* || -z $words ]] && words=$flags
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    case $command in
        {files}) [[ $word == -* ]] || _gossamer_paths -f "$word" ;;
    esac
}}
_gossamer_paths() {{
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen "$1" -- "$2"))
}}
complete -F _gossamer gossamer"""
OF_BASH = {
    "file": '_gossamer_paths -f "$word"; return',
    "folder": '_gossamer_paths -d "$word"; return',
    "text": "return",
}


def _bash() -> str:
    after, words, files = list[str](), list[str](), list[str]()
    for command, arguments in {"": arguments_of(parser()), **_commands()}.items():
        offered, flags = [] if command else list(COMMANDS), list[str]()
        for each in arguments:
            flags += each.names
            offered += () if each.names else each.choices
            if not each.names and each.takes in ("file", "folder"):
                files.append(command)
            if each.names and each.takes:
                pattern = "|".join(f'"{command} {name}"' for name in each.names)
                after.append(f"        {pattern}) {_value_in_bash(each)} ;;")
        lists = f'words="{" ".join(offered)}" flags="{" ".join(flags)}"'
        words.append(f'        "{command}") {lists} ;;')
    parts = {"after": "\n".join(after), "words": "\n".join(words), "files": "|".join(files)}
    return BASH.format(**parts)


def _value_in_bash(argument: Argument) -> str:
    if argument.takes != "choice":
        return OF_BASH[argument.takes]
    return f'COMPREPLY=($(compgen -W "{" ".join(argument.choices)}" -- "$word")); return'


ZSH = """\
#compdef gossamer
# zsh completion of gossamer, made by `gossamer completion zsh`
_gossamer() {{
    local context state state_descr line
    typeset -A opt_args
    local -a commands=(
{commands}
    )
    _arguments -C {top} '1: :->command' '*:: :->arguments'
    case $state in
        command) _describe command commands ;;
        arguments)
            case $words[1] in
{arguments}
            esac ;;
    esac
}}
if [ "$funcstack[1]" = _gossamer ]; then _gossamer "$@"; else compdef _gossamer gossamer; fi"""
OF_ZSH = {"file": ":file:_files", "folder": ":folder:_files -/", "text": ":value:", "": ""}


def _zsh() -> str:
    listed = [f"        {_quoted(f'{c.name}:{c.help}')}" for c in COMMANDS.values()]
    cases = [
        f"                {name}) _arguments {' '.join(map(_in_zsh, arguments))} ;;"
        for name, arguments in _commands().items()
    ]
    top = " ".join(map(_in_zsh, arguments_of(parser())))
    return ZSH.format(commands="\n".join(listed), top=top, arguments="\n".join(cases))


def _in_zsh(argument: Argument) -> str:
    value = OF_ZSH.get(argument.takes, f":value:({' '.join(argument.choices)})")
    if not argument.names:
        return _quoted(f"*{value}" if argument.repeats else f":{value}")
    text = "".join(f"\\{sign}" if sign in "[]:\\" else sign for sign in argument.help)
    star = "*" if argument.repeats else ""
    return " ".join(_quoted(f"{star}{name}[{text}]{value}") for name in argument.names)


def _quoted(text: str) -> str:
    """A word of sh or zsh, whatever is in it."""
    return "'" + text.replace("'", "'\\''") + "'"


OF_FISH = {"file": "-rF", "folder": "-xa '(__fish_complete_directories)'", "text": "-x", "": ""}


def _fish() -> str:
    lines = ["# fish completion of gossamer, made by `gossamer completion fish`"]
    lines += ["complete -c gossamer -f"]
    first = f"-n 'not __fish_seen_subcommand_from {' '.join(COMMANDS)}'"
    for command in COMMANDS.values():
        lines.append(f"complete -c gossamer {first} -a {command.name} -d {_fished(command.help)}")
    lines += [_in_fish(each, first) for each in arguments_of(parser())]
    for name, arguments in _commands().items():
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        lines += [_in_fish(each, seen) for each in arguments]
    return "\n".join(lines)


def _in_fish(argument: Argument, when: str) -> str:
    choices = f"-xa {_fished(' '.join(argument.choices))}"
    names = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in argument.names)
    value = OF_FISH.get(argument.takes, choices)
    if not argument.names:
        value = {"file": "-F", "choice": choices.replace("-xa", "-a")}.get(argument.takes, "")
    return f"complete -c gossamer {when} {names} {value} -d {_fished(argument.help)}"


def _fished(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
