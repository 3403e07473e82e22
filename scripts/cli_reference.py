"""Write the reference of all commands from their parsers.

`scripts/export_schemas.py` puts it into docs/cli.md, and says when it is stale.
"""

from __future__ import annotations

import argparse
import inspect
import re
from typing import TYPE_CHECKING

from gossamer.entrypoints.cli.main import COMMANDS, parser_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.entrypoints.cli.main import Command

COMMON = ("-h", "--stack", "--data", "--collection", "--json")
REPEATED = {"*": " …", "+": " …"}
HEAD = """# The command line

`make format` writes this page from the parsers of the commands: change them, not the page.
`gossamer COMMAND --help` says the same, and `gossamer completion bash` lets a shell complete it.

    gossamer [--stack NAME] COMMAND [flags] [arguments]

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | failed: nothing could be crawled, a check found violations, a store could not be written |
| 2 | wrong usage: a flag, a file or a folder cannot be used; one line says which and what to do |
| 130 | interrupted by Ctrl-C or SIGTERM; the same command goes on |

## Flags of all commands

| flag | meaning |
|---|---|
"""


def cli_reference() -> str:
    """The page."""
    first = parser_of(next(iter(COMMANDS.values())))
    common = [each for each in first._actions if _is_common(each)]
    listed = [f"| [`{name}`](#gossamer-{name}) | {each.help} |" for name, each in COMMANDS.items()]
    lines = [HEAD + "\n".join(map(_row, common)), "", "`--version` stands before the command."]
    lines += ["", "## Commands", "", "| command | what it does |", "|---|---|", *listed]
    for command in COMMANDS.values():
        lines += ["", *_section(command)]
    return "\n".join(lines) + "\n"


def _section(command: Command) -> Iterator[str]:
    described = parser_of(command)
    own = [each for each in described._actions if not _is_common(each)]
    usage = [f"gossamer {command.name}", *(_name(each) for each in own if not each.option_strings)]
    yield from [f"## gossamer {command.name}", "", f"    {' '.join(usage)}"]
    yield from ["", _plain(described.description or "")]
    for where in filter(None, (_where(command), _rows(own))):
        yield from ["", where]
    if described.epilog:
        yield from ["", "```text", inspect.cleandoc(described.epilog), "```"]


def _where(command: Command) -> str:
    if command.only_on_stack:
        return f"Needs `--stack NAME`: {command.only_on_stack}."
    return f"Not with `--stack`: {command.not_on_stack}." if command.not_on_stack else ""


def _rows(actions: list[argparse.Action]) -> str:
    rows = [_row(each) for each in actions if each.help != argparse.SUPPRESS]
    return "\n".join(["| argument | meaning |", "|---|---|", *rows]) if rows else ""


def _row(action: argparse.Action) -> str:
    text = (action.help or "").replace("%(default)s", str(action.default)).replace("|", "\\|")
    choices = ", ".join(f"`{choice}`" for choice in action.choices or ())
    default = f" (default: `{action.default}`)" if choices and action.default else ""
    meaning = "; ".join(filter(None, (_plain(text), choices + default)))
    name = _name(action).replace("|", "\\|")
    return f"| `{name}` | {meaning} |"


def _name(action: argparse.Action) -> str:
    value = action.metavar or ("" if action.nargs == 0 else _value_of(action))
    repeated = REPEATED.get(str(action.nargs), "")
    if not action.option_strings:
        return f"{value}{repeated}" if action.nargs in (None, "+") else f"[{value}{repeated}]"
    return ", ".join(f"{flag} {value}".strip() for flag in action.option_strings)


def _value_of(action: argparse.Action) -> str:
    return "X" if action.option_strings else action.dest.upper()


def _plain(text: str) -> str:
    """Help as a paragraph: what a terminal shows as it is would be markup here."""
    return re.sub(r"(?<![`\w])(<[^>]+>|\*|_\w+)(?!`)", r"`\1`", text.strip())


def _is_common(action: argparse.Action) -> bool:
    return any(flag in COMMON for flag in action.option_strings)
