"""Is a port that was named had or refused, and another one replaced if it is taken?"""

from __future__ import annotations

import socket

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.local import listening
from gossamer.entrypoints.local.listening import port_to_listen


@pytest.fixture
def taken():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_port_that_was_named_and_is_taken_is_refused(taken):
    with pytest.raises(ConfigurationError, match=f"port {taken} is taken"):
        port_to_listen(taken, 8080, "the page")


def test_without_a_name_the_next_free_port_is_taken_and_said(taken, capsys):
    port = port_to_listen(None, taken, "the page")

    assert port > taken
    assert capsys.readouterr().err == f"Port {taken} is taken: the page is on port {port}.\n"


def test_the_usual_port_needs_no_word(taken, capsys):
    free = port_to_listen(0, 8080, "the page")

    assert port_to_listen(free, 8080, "the page") == free
    assert capsys.readouterr().err == ""


def test_looking_for_a_port_cuts_no_client_off(monkeypatch):
    """A page that is reloaded while the server starts is refused, never accepted and dropped."""
    monkeypatch.setattr(socket.socket, "listen", lambda *_: pytest.fail("it listens"))

    assert port_to_listen(0, 8080, "the page") > 0


@pytest.mark.parametrize("port", [80808, -1])
def test_what_is_no_port_is_refused(port):
    with pytest.raises(ConfigurationError, match="from 1 to 65535"):
        port_to_listen(port, 8080, "the page")


def test_a_host_that_is_not_ours_is_named():
    with pytest.raises(ConfigurationError, match=r"cannot listen on 192\.0\.2\.1"):
        port_to_listen(0, 8080, "the page", "192.0.2.1")


def test_if_all_are_taken_a_person_must_choose(taken, monkeypatch):
    monkeypatch.setattr(listening, "TRIES", 1)

    with pytest.raises(ConfigurationError, match="name another with --port"):
        port_to_listen(None, taken, "the page")
