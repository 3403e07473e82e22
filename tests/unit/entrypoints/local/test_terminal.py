"""Is a terminal sent only what it can show?"""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import struct
import termios

import pytest

from gossamer.entrypoints.cli.command import encodable, write_rows
from gossamer.entrypoints.local.terminal import Display, fitted, has_colours, is_live


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


HOSTILE = "a\x1b]0;owned\x07\x1b[31mred\x9b2J\u202eb\tc\n"
CLEAN = "a ]0;owned  [31mred 2J b\tc\n"


class Recording(io.StringIO):
    """A stream that keeps what is written, and says whether it is a terminal."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.mark.parametrize(("is_terminal", "written"), [(True, CLEAN), (False, HOSTILE)])
def test_a_terminal_gets_no_control_characters_and_a_file_gets_all(is_terminal, written):
    out, rows = Recording(is_terminal=is_terminal), Recording(is_terminal=is_terminal)

    Display(out).write(HOSTILE)
    assert write_rows([HOSTILE], "csv", rows) == 1

    assert out.getvalue() == rows.getvalue() == written


@pytest.mark.parametrize("is_terminal", [True, False])
def test_json_means_the_same_on_a_terminal(is_terminal):
    out = Recording(is_terminal=is_terminal)
    line = json.dumps({"title": f"{HOSTILE}\x85ü"}, ensure_ascii=False)

    shown = encodable(line, out)

    assert json.loads(shown) == json.loads(line)
    assert (shown == line) is not is_terminal
    assert "ü" in shown
    assert not is_terminal or shown.isprintable()
