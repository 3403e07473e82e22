"""Does `gossamer serve` refuse what it cannot serve?"""

from __future__ import annotations

import socket

from tests.commands import complains, judged_folder, run_here, said


def test_a_collection_that_does_not_exist_is_named(tmp_path):
    assert str(tmp_path) in complains("serve", "--data", tmp_path / "none", "--port", "0")


def test_a_port_that_is_taken_is_exit_1_and_named(tmp_path):
    data = tmp_path / "data"
    said("index", "--data", data, judged_folder(tmp_path / "judged"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        done = run_here("serve", "--data", data, "--port", port)

    assert done.returncode == 1
    assert done.stderr.startswith(f"gossamer: cannot serve on port {port}: ")


def test_fewer_than_no_processes_are_refused(tmp_path):
    data = tmp_path / "data"
    said("index", "--data", data, judged_folder(tmp_path / "judged"))

    assert "--processes -1" in complains("serve", "--data", data, "--processes", "-1")
