"""Does `gossamer serve` refuse what it cannot serve?"""

from __future__ import annotations

import socket

import pytest

from gossamer.entrypoints.cli.main import main
from gossamer.entrypoints.local import listening
from tests.commands import complains, judged_folder, said


def test_a_collection_that_does_not_exist_is_named(tmp_path):
    assert str(tmp_path) in complains("serve", "--data", tmp_path / "none", "--port", "0")


@pytest.fixture
def data(tmp_path):
    said("index", "--data", tmp_path / "data", judged_folder(tmp_path / "judged"))
    return tmp_path / "data"


@pytest.mark.parametrize("command", [("serve",), ("run", "http://a.test/")])
def test_a_port_that_is_named_and_taken_is_refused_at_once(data, command):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        assert f"port {port} is taken" in complains(*command, "--data", data, "--port", port)


@pytest.mark.parametrize("command", [("serve",), ("run", "http://a.test/")])
def test_what_is_no_port_is_refused_in_one_line(data, command):
    assert "port 80808" in complains(*command, "--data", data, "--port", 80808)


def test_nothing_is_made_if_the_port_of_a_run_is_taken(tmp_path):
    complains("run", "http://a.test/", "--data", tmp_path / "none", "--port", 80808)

    assert not (tmp_path / "none").exists()


def test_fewer_than_no_processes_are_refused_before_a_port_is_looked_for(data, monkeypatch):
    monkeypatch.setattr(listening, "_bound", lambda *_: pytest.fail("a port is looked for"))

    assert "--processes -1" in complains("serve", "--data", data, "--processes", "-1")


@pytest.mark.parametrize(
    ("mode", "is_open"), [(0o644, True), (0o602, True), (0o640, False), (0o600, False)]
)
def test_an_admin_key_that_every_user_can_read_is_warned_about(
    data, tmp_path, mode, is_open, capsys
):
    file = tmp_path / "a key"
    file.write_text("x" * 16)
    file.chmod(mode)

    args = ["serve", "--data", data, "--admin-key", file, "--port", 80808]
    main([str(each) for each in args])  # which the port ends

    text = capsys.readouterr().err
    assert ("every user" in text) is is_open
    assert (f"chmod o= '{file}'" in text) is is_open


@pytest.mark.parametrize("key", [None, "", "too short", "x" * 15])
def test_an_admin_key_that_cannot_be_read_or_is_guessed_soon_is_refused(data, tmp_path, key):
    file = tmp_path / "key"
    if key is not None:
        file.write_text(key)

    assert f"the admin key {'' if key is None else 'in '}{file}" in complains(
        "serve", "--data", data, "--admin-key", file
    )


def test_what_is_no_origin_or_host_is_refused_before_anything_is_served(tmp_path):
    data = tmp_path / "data"
    said("index", "--data", data, judged_folder(tmp_path / "judged"))

    assert "is no origin" in complains("serve", "--data", data, "--allow-origin", "blog.test")
    assert "is no host" in complains("serve", "--data", data, "--allow-host", "http://a.test")
