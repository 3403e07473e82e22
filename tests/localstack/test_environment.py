"""Execution environments: timeouts, deaths, logs, and no process left behind."""

from __future__ import annotations

import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from localstack_host.environment import Call, Environment, kill_all

ECHO = "import os\ndef handler(event):\n    return {'event': event, 'pid': os.getpid()}\n"
SLEEP = "import time\ndef handler(event):\n    time.sleep(event)\n    return 'awake'\n"
MEET = (
    "import pathlib, time\ndef handler(event):\n    folder = pathlib.Path(event['folder'])\n"
    "    (folder / event['name']).touch()\n"
    "    while len(list(folder.iterdir())) < event['all']:\n        time.sleep(0.01)\n"
    "    return 'met'\n"
)
PATIENCE = 120.0  # seconds; only against what hangs


def call(event: object, request_id: str = "r1") -> Call:
    return Call(request_id, json.dumps(event).encode(), "arn:f")


def answer(environment: Environment, event: object = None):
    return json.loads(environment.invoke(call(event)).outcome.body)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_for(condition, seconds: float = PATIENCE) -> bool:
    give_up_at = time.monotonic() + seconds
    while not condition() and time.monotonic() < give_up_at:
        time.sleep(0.01)
    return bool(condition())


def test_one_process_serves_one_event_after_the_other(environment):
    function = environment(ECHO)

    first, second = answer(function, "a"), answer(function, "b")

    assert [first["event"], second["event"]] == ["a", "b"]
    assert first["pid"] == second["pid"] == function.pid


def test_a_warm_event_does_not_wait_for_the_network(environment):
    function = environment(ECHO)
    answer(function)

    quickest = min(_seconds(lambda: answer(function)) for _ in range(40))

    assert quickest < 0.035  # a delayed ACK makes each of them last 40 ms


def _seconds(call) -> float:
    began = time.monotonic()
    call()
    return time.monotonic() - began


def test_environments_work_at_the_same_time(environment, tmp_path):
    functions = [environment(MEET, timeout=PATIENCE) for _ in range(3)]
    (tmp_path / "here").mkdir()
    events = [{"folder": str(tmp_path / "here"), "name": str(n), "all": 3} for n in range(3)]

    with ThreadPoolExecutor() as pool:
        answers = list(pool.map(answer, functions, events))

    assert answers == ["met"] * 3


def test_a_function_that_raises_is_an_error_and_stays(environment):
    function = environment("def handler(event):\n    raise ValueError(event)\n")

    result = function.invoke(call("as asked"))

    assert result.outcome.is_error
    assert json.loads(result.outcome.body)["errorMessage"] == "as asked"
    assert function.pid is not None


def test_a_function_that_takes_too_long_is_ended_and_replaced(environment):
    function = environment(SLEEP, timeout=0.5)
    before = function.pid

    result = function.invoke(call(30))

    assert json.loads(result.outcome.body)["errorType"] == "Sandbox.Timedout"
    assert "Task timed out after 0.50 seconds" in result.log
    assert not is_running(before)
    assert answer(function, 0) == "awake"


def test_a_killed_process_fails_its_event_and_the_next_gets_a_new_one(environment):
    function = environment(SLEEP)
    answer(function, 0)
    before = function.pid

    with ThreadPoolExecutor() as pool:
        pending = pool.submit(function.invoke, call(30))
        time.sleep(0.2)
        os.kill(before, signal.SIGKILL)
        result = pending.result(PATIENCE)

    assert json.loads(result.outcome.body) == {
        "errorType": "Runtime.ExitError",
        "errorMessage": "Runtime exited with error: signal: SIGKILL",
    }
    assert answer(function, 0) == "awake"
    assert function.pid != before


def test_events_after_a_death_never_meet_the_dead(environment):
    function = environment("import os\ndef handler(event):\n    os._exit(3) if event else None\n")
    for _ in range(5):
        died = function.invoke(call(True))

        assert b"exit status 3" in died.outcome.body
        assert not function.invoke(call(False)).outcome.is_error


def test_a_process_killed_between_events_is_replaced(environment):
    function = environment(ECHO)
    before = answer(function)["pid"]

    os.kill(before, signal.SIGKILL)
    wait_for(lambda: function.pid is None)

    assert answer(function)["pid"] != before


def test_a_function_that_cannot_be_loaded_says_why_each_time(environment):
    function = environment("print('loading')\nimport not_there\n")

    for _ in range(2):
        result = function.invoke(call(None))

        assert json.loads(result.outcome.body)["errorType"] == "Runtime.ImportModuleError"
        assert "loading" in result.log


def test_a_process_that_dies_while_loading_leaves_its_log(environment):
    function = environment("print('so far', flush=True)\nraise SystemExit(7)\n")

    result = function.invoke(call(None))

    assert b"exit status 7" in result.outcome.body
    assert "so far" in result.log


def test_each_event_gets_the_log_it_wrote(environment):
    function = environment("def handler(event):\n    print(f'this is {event} ✓')\n")

    first, second = (function.invoke(call(n, f"r{n}")).log for n in (1, 2))

    assert first.startswith(
        "START RequestId: r1 Version: $LATEST\nthis is 1 ✓\nEND RequestId: r1\n"
    )
    assert "this is 1" not in second
    assert "this is 2" in second
    assert "REPORT RequestId: r2\tDuration: " in second
    assert "this is 1 ✓\nthis is 2 ✓\n" in function.log()


def test_stop_lets_the_running_event_finish_and_takes_no_other(environment):
    function = environment(SLEEP)
    answer(function, 0)
    pid = function.pid

    with ThreadPoolExecutor() as pool:
        pending = pool.submit(function.invoke, call(0.5))
        time.sleep(0.2)
        function.stop()
        result = pending.result(PATIENCE)

    assert result.outcome.body == b'"awake"'
    assert not is_running(pid)
    assert b"was stopped" in function.invoke(call(0)).outcome.body


def test_an_idle_environment_stops_at_once(environment):
    function = environment(ECHO)
    pid = answer(function)["pid"]

    function.stop()

    assert not is_running(pid)


def test_what_a_function_started_dies_with_it(environment):
    source = (
        "import subprocess\ndef handler(event):\n    return subprocess.Popen(['sleep', '60']).pid\n"
    )
    function = environment(source)
    child = answer(function)

    function.kill()

    assert wait_for(lambda: not is_running(child))


def test_no_process_survives_the_end_of_the_emulator(environment):
    functions = [environment(SLEEP) for _ in range(2)]
    pids = [function.pid for function in functions]
    with ThreadPoolExecutor() as pool:
        pending = pool.submit(functions[0].invoke, call(30))
        time.sleep(0.3)

        kill_all()

        assert b"Runtime.ExitError" in pending.result(PATIENCE).outcome.body
    assert not any(is_running(pid) for pid in pids)


def test_a_program_that_is_not_there_is_an_error(program, tmp_path):
    broken = program(ECHO)
    object.__setattr__(broken, "command", [str(tmp_path / "nothing")])

    with pytest.raises(FileNotFoundError):
        Environment(broken, tmp_path / "log").start()
