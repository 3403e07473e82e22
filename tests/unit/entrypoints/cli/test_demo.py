"""Does `gossamer demo` keep its data apart, and say how to look closer?"""

from __future__ import annotations

import argparse

import pytest

from gossamer.entrypoints.cli import demo
from tests.commands import complains


@pytest.mark.parametrize(("given", "folder"), [(None, "data/demo"), ("mine", "mine")])
def test_it_keeps_away_from_what_a_person_has_crawled(monkeypatch, given, folder):
    monkeypatch.delenv("GOSSAMER_DATA", raising=False)

    assert demo.data_of(argparse.Namespace(data=given, collection=None)) == folder


def test_it_names_the_program_as_another_terminal_finds_it(tmp_path, monkeypatch):
    installed = tmp_path / "bin" / "gossamer"
    installed.parent.mkdir()
    installed.touch(mode=0o755)
    called = str(installed)

    monkeypatch.setenv("PATH", str(installed.parent))
    assert demo.program_name(called) == "gossamer"
    assert demo.program_name("/somewhere/main.py") == "gossamer"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert demo.program_name(called) == called


def test_on_a_stack_it_says_what_to_do_instead():
    assert "gossamer --stack NAME crawl URL" in complains("demo", "--stack", "any")
