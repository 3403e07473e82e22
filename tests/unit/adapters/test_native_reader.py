"""Is a file that keeps native code busy ended, and all else returned?"""

from __future__ import annotations

import os
import signal
from itertools import repeat

import pytest

from gossamer.adapters import process_limits
from gossamer.adapters.native_reader import read_in_child
from gossamer.core.page.document import Document, ParsedPage
from tests import made_files
from tests.read_files import parsed

LONG = 60.0  # seconds: no child of these tests needs them


def test_what_is_read_comes_back_whole():
    pages = [f"Page {number} of a long file. " * 40 for number in range(50)]

    def read() -> ParsedPage:
        return parsed(made_files.pdf(pages), "application/pdf")

    assert read_in_child(read, LONG) == read()


def test_more_than_a_pipe_holds_comes_back():
    page = ParsedPage([Document(url="http://a.test/", text="silk " * 1_000_000)], [])

    assert read_in_child(lambda: page, LONG) == page


def test_native_code_without_an_end_is_ended():
    def busy() -> ParsedPage:
        sum(repeat(1))  # never returns to Python, where an alarm would be heard
        raise AssertionError

    assert read_in_child(busy, 0.2) is None


@pytest.mark.parametrize("fault", [ValueError("x"), MemoryError(), SystemExit(3)])
def test_a_reader_that_fails_gives_nothing(fault, capfd):
    def fails() -> ParsedPage:
        raise fault

    assert read_in_child(fails, LONG) is None


def test_a_child_that_is_killed_gives_nothing_and_leaves_no_zombie(monkeypatch):
    children: list[int] = []
    fork = os.fork

    def noticed() -> int:
        children.append(fork())
        return children[-1]

    def dies() -> ParsedPage:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    monkeypatch.setattr(os, "fork", noticed)
    assert read_in_child(dies, LONG) is None
    assert len(children) == 2
    for child in children:
        with pytest.raises(ChildProcessError):
            os.waitpid(child, os.WNOHANG)


def test_a_reader_that_was_killed_from_outside_is_asked_once_more(tmp_path):
    page, mark = ParsedPage([], [], reason="read"), tmp_path / "mark"

    def killed_once() -> ParsedPage:
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return page

    assert read_in_child(killed_once, LONG) == page


def test_a_reader_that_used_up_its_cpu_time_is_not_asked_again(tmp_path):
    attempts = tmp_path / "attempts"

    def ended() -> ParsedPage:
        with attempts.open("a") as file:
            file.write("once\n")
        os.kill(os.getpid(), signal.SIGXCPU)
        raise AssertionError

    assert read_in_child(ended, LONG) is None
    assert attempts.read_text() == "once\n"


def test_a_reader_that_takes_too_much_memory_gives_nothing(monkeypatch):
    monkeypatch.setattr(process_limits.limit_memory, "__defaults__", (100_000_000,))
    page = ParsedPage([], [], reason="read")

    def greedy() -> ParsedPage:
        taken = bytearray(400_000_000)
        return ParsedPage([], [], reason=f"read {len(taken)}")

    assert read_in_child(lambda: page, LONG) == page
    assert read_in_child(greedy, LONG) is None
