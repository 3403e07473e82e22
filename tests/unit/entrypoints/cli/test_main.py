"""Does `gossamer` find the command, and the stack it is for?"""

from __future__ import annotations

import subprocess
import sys

import pytest

from gossamer.entrypoints.cli.main import COMMANDS, module_of
from tests.unit.entrypoints.moto_stack import STACK, CloudFormation, aws, begin_job, run


def test_no_such_stack_is_one_line_and_exit_2(capsys):
    with aws():
        code, out, err = run(capsys, "--stack", "nowhere", "stats")

    assert (code, out) == (2, "")
    assert err == "gossamer: there is no stack 'nowhere' in us-east-1\n"


@pytest.mark.parametrize("missing", ["AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID"])
def test_no_region_or_no_credentials_is_one_line_and_exit_2(capsys, monkeypatch, tmp_path, missing):
    for name, value in {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"),
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv(missing)
    if missing == "AWS_ACCESS_KEY_ID":
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")

    code, out, err = run(capsys, "stats", "--stack", STACK)

    assert (code, out) == (2, "")
    assert err.startswith("gossamer: AWS is not set up here: ")
    assert err.count("\n") == 1


def test_a_stack_of_another_owner_is_refused(capsys):
    with aws():
        CloudFormation.stacks["other"] = {}
        code, _, err = run(capsys, "--stack", "other", "stats")

    assert code == 2
    assert "no output PagesBucket" in err


@pytest.mark.parametrize("name", ["", "a b", "-x", "x" * 129])
def test_what_cannot_be_a_name_is_not_asked_for(capsys, name):
    assert run(capsys, f"--stack={name}", "stats")[0] == 2


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
