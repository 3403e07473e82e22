"""Do flags override the environment, and is progress only for people?"""

from __future__ import annotations

import sys
from argparse import Namespace

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.cli.command import progress, settings_of


def test_a_flag_overrides_the_environment(monkeypatch):
    monkeypatch.setenv("GOSSAMER_DATA", "/from/environment")
    monkeypatch.setenv("GOSSAMER_COLLECTION", "books")

    settings = settings_of(Namespace(data="/from/flag", collection=None))

    assert (settings.data, settings.collection) == ("/from/flag", "books")


def test_a_flag_is_checked_like_the_environment():
    with pytest.raises(ConfigurationError, match=r"\.\./x"):
        settings_of(Namespace(collection="../x"))


@pytest.mark.parametrize(("json", "terminal", "shown"), [
    (False, True, "\r\x1b[K3 of 4"), (True, True, ""), (False, False, ""),
])  # fmt: skip
def test_progress_is_shown_on_a_terminal_alone(capsys, monkeypatch, json, terminal, shown):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setenv("TERM", "xterm")

    progress(Namespace(json=json))("3 of 4")

    assert capsys.readouterr().err == shown
