"""Can what a page says steer the terminal of who reads it?"""

from __future__ import annotations

import pytest

from gossamer.entrypoints import cli, searching
from gossamer.entrypoints.searching import BOLD, FAINT, PLAIN
from tests.fuzz.collection import NASTY, make_collection


@pytest.mark.parametrize("colours", [True, False])
def test_a_listing_has_no_control_characters_but_ours(tmp_path, capsys, monkeypatch, colours):
    assert any("\x1b" in text for text in NASTY)
    settings = make_collection(tmp_path)
    shown = searching._listing
    monkeypatch.setattr(searching, "_listing", lambda found, _: shown(found, colours))

    assert cli.main(["search", "--data", settings.data, "--explain", "silk"]) == 0

    said = capsys.readouterr().out
    assert (BOLD in said) == colours
    for sign in (BOLD, FAINT, PLAIN):
        said = said.replace(sign, "")
    assert "red" in said
    assert all(line.isprintable() for line in said.split("\n"))
