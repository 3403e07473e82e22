"""The plugins inside LocalStack's own venv: found by name, and on AWS's real runtime client."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.localstack.conftest import LOCALSTACK, SOURCE

pytestmark = pytest.mark.skipif(
    not LOCALSTACK.is_file(), reason="needs `python -m scripts.emulator install localstack`"
)


def run(script: str, *arguments: str) -> str:
    done = subprocess.run(
        [LOCALSTACK, "-c", script, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_localstack_finds_the_plugins_by_their_names():
    script = """
from importlib.metadata import distribution
for entry in distribution("localstack-host").entry_points:
    assert entry.load() is not None
    print(entry.group, entry.name)
"""
    assert set(run(script).splitlines()) == {
        "localstack.lambda.runtime_executor process",
        "localstack.aws.provider dynamodb:moto",
        "localstack.hooks.on_infra_start poll_often",
        "localstack.hooks.on_infra_shutdown kill_functions",
    }


def test_a_function_runs_on_the_runtime_client_of_aws(tmp_path):
    (tmp_path / "app.py").write_text(
        "import boto3\n"
        "def handler(event, context):\n"
        "    print('hello')\n"
        "    if event == 'fail': raise KeyError(event)\n"
        "    return [event, context.function_name, context.get_remaining_time_in_millis() > 0]\n",
        encoding="utf-8",
    )
    script = """
import json, os, sys
from pathlib import Path
from localstack_host.environment import Call, Environment, Program, kill_all
from localstack_host.runtime_packages import link_packages
code = Path(sys.argv[1])
path = os.pathsep.join([str(code), str(link_packages(code / "runtime"))])
environment = {"PYTHONPATH": path, "AWS_LAMBDA_FUNCTION_NAME": "f", "AWS_REGION": "us-east-1"}
command = [sys.executable, "-S", "-m", "awslambdaric", "app.handler"]
function = Environment(Program(command, code, environment, 20), code / "log" / "f.log")
answers = [function.invoke(Call("r", json.dumps(e).encode(), "arn:f")) for e in ("ok", "fail")]
kill_all()
print(json.dumps([[a.outcome.is_error, json.loads(a.outcome.body), a.log] for a in answers]))
"""
    fine, failed = json.loads(run(script, str(tmp_path)))

    assert fine[:2] == [False, ["ok", "f", True]]
    assert "hello" in fine[2]
    assert failed[0] is True
    assert failed[1]["errorType"] == "KeyError"
    assert "[ERROR] KeyError" in failed[2]
