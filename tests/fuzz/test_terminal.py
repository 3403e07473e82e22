"""Can what a page says steer the terminal of who reads it?"""

from __future__ import annotations

import pytest

from gossamer.entrypoints.cli import main, search
from gossamer.entrypoints.cli.search import BOLD, FAINT, PLAIN
from tests.fuzz.collection import NASTY, make_collection


@pytest.mark.parametrize("colours", [True, False])
def test_a_listing_has_no_control_characters_but_ours(tmp_path, capsys, monkeypatch, colours):
    assert any("\x1b" in text for text in NASTY)
    settings = make_collection(tmp_path)
    shown = search._listing
    monkeypatch.setattr(search, "_listing", lambda found, _: shown(found, colours))

    assert main.main(["search", "--data", settings.data, "--explain", "silk"]) == 0

    said = capsys.readouterr().out
    assert (BOLD in said) == colours
    for sign in (BOLD, FAINT, PLAIN):
        said = said.replace(sign, "")
    assert "red" in said
    assert all(line.isprintable() for line in said.split("\n"))
