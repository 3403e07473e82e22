"""Does a short soak kill, restart and recrawl, and leave everything consistent?"""

from __future__ import annotations

import json

import pytest

from scripts.soak.__main__ import main
from scripts.soak.verdicts import NEED_TIME

MINUTES = 0.45


@pytest.mark.long
def test_half_a_minute_of_kills_and_recrawls_leaves_everything_consistent(tmp_path, capfd):
    out = tmp_path / "soak.json"

    code = main(["--minutes", str(MINUTES), "--out", str(out)])

    result, (told, progress) = json.loads(out.read_text()), capfd.readouterr()
    verdicts = {verdict["name"]: verdict["met"] for verdict in result["verdicts"]}
    broken = {name for name, met in verdicts.items() if met is False}
    assert not broken, told
    assert {name for name, met in verdicts.items() if met is None} == NEED_TIME
    assert told.count("not judged") == len(NEED_TIME)
    assert code == 0
    assert len(result["kills"]) >= 2
    assert {restart["how"] for restart in result["restarts"]} == {
        "restart the server",
        "kill the server",
    }
    # How many rounds end between the kills depends on the machine; each of the last asks for all.
    before, after = (report["requests"] for report in result["ending"]["rounds"][-2:])
    assert after - before > 50
    assert result["ending"]["live"] == result["ending"]["documents"] > 50
    assert result["ending"]["violations"] == 0
    assert "to go" in progress
