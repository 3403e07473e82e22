"""Is a terminal sent only what it can show?"""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios

import pytest

from gossamer.entrypoints.local.terminal import fitted, has_colours, is_live


@pytest.fixture
def terminal(monkeypatch):
    """A terminal of 30 columns."""
    for name in ("TERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 30, 0, 0))
    with os.fdopen(theirs, "w") as out:
        yield out
    os.close(ours)


def test_a_terminal_is_drawn_on_in_colours(terminal):
    assert is_live(terminal)
    assert has_colours(terminal)


def test_no_color_leaves_words_plain_and_lines_alive(terminal, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")

    assert is_live(terminal)
    assert not has_colours(terminal)


def test_a_dumb_terminal_gets_no_control_sequences(terminal, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")

    assert not is_live(terminal)
    assert not has_colours(terminal)


def test_a_file_is_no_terminal(tmp_path):
    with (tmp_path / "out").open("w") as out:
        assert not is_live(out)
        assert fitted("x" * 200, out) == f"{'x' * 78}…"


@pytest.mark.parametrize("length", [0, 1, 28, 29, 30, 31, 200])
def test_no_line_wraps(terminal, length):
    shown = fitted("x" * length, terminal)

    assert len(shown) < 30
    assert shown == "x" * length if length < 30 else shown.endswith("…")
