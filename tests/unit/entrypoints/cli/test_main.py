"""Does `gossamer` find the command, and the stack it is for?"""

from __future__ import annotations

import subprocess
import sys

import pytest

from gossamer.entrypoints.cli.main import COMMANDS, module_of
from tests.unit.entrypoints.moto_stack import STACK, begin_job, run


@pytest.mark.parametrize("name", [c.name for c in COMMANDS.values() if c.not_on_stack])
def test_a_command_without_sense_on_a_stack_says_what_to_do_instead(capsys, name):
    more = {"run": ["http://a.test/"], "eval": ["folder"]}
    code, out, err = run(capsys, name, "--stack", STACK, *more.get(name, []))

    assert (code, out) == (2, "")
    instead = COMMANDS[name].not_on_stack
    assert err == f"gossamer: `gossamer {name}` does not work on a stack: {instead}\n"


@pytest.mark.parametrize("name", ["cost", "redrive", "purge"])
def test_a_command_only_for_stacks_says_so(capsys, name):
    code, _, err = run(capsys, name)

    assert code == 2
    assert f"`gossamer {name}` needs --stack NAME" in err


@pytest.mark.parametrize("command", COMMANDS.values(), ids=list(COMMANDS))
def test_every_command_has_what_its_line_promises(command):
    module = module_of(command)

    assert hasattr(module, "add_arguments")
    assert hasattr(module, "run") == (not command.only_on_stack)
    assert hasattr(module, "run_on_stack") == (not command.not_on_stack)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_explains_itself(capsys, name):
    with pytest.raises(SystemExit) as ended:
        run(capsys, name, "--help")

    assert ended.value.code == 0
    assert f"usage: gossamer {name}" in capsys.readouterr().out


HEAVY = "boto3", "botocore", "numpy", "lxml", "sqlite3", "gossamer.homes"


def test_help_imports_no_command():
    program = (
        "import sys; from gossamer.entrypoints.cli.main import parser; parser().format_help();"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stdout == "[]\n", done.stderr


@pytest.mark.parametrize("argv", [["--stack", STACK, "stats"], ["stats", "--stack", STACK]])
def test_the_stack_is_named_before_or_after_the_command(capsys, stack, argv):
    begin_job()

    assert run(capsys, *argv)[0] == 0
