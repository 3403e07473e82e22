"""Is a stack found by its name, and is the reason told when it is not?"""

from __future__ import annotations

import pytest

from gossamer.entrypoints.cli.stack.home import open_stack
from tests.unit.entrypoints.moto_stack import STACK, CloudFormation, aws, run


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


def test_without_a_collection_it_is_the_one_the_stack_was_deployed_for(stack):
    assert open_stack(STACK).home.collection == "web"
    assert open_stack(STACK, "books").home.collection == "books"
