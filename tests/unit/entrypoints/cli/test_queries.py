"""Can a person see what is asked, and delete it?"""

from __future__ import annotations

import time

from gossamer.core.search.query_log import Noted, day_of
from gossamer.settings import Settings
from tests.commands import complains, run_here, said
from tests.local_home import open_local
from tests.unit.entrypoints.moto_stack import result


def test_queries_are_listed_by_what_became_of_them_and_can_be_deleted(tmp_path):
    home = open_local(Settings(data=str(tmp_path)))
    noted = [Noted("silk", asked=3, hits=7), Noted("moth\x1b[2J", asked=1, hits=0)]
    home.queries.add(noted, day_of(time.time()), 30)
    home.close()

    printed = run_here("queries", "--data", tmp_path).stdout

    assert printed.startswith("4 queries in 30 days\nthe log is off")
    assert "\nno result\n      1 ×        0 results      0 clicks  moth [2J\n" in printed
    assert said("queries", "--data", tmp_path, "--days", 1)["most"][0]["query"] == "silk"
    assert said("queries", "--data", tmp_path, "--forget")["asked"] == 0
    assert "--days goes from 1" in complains("queries", "--data", tmp_path, "--days", 0)


def test_those_of_a_stack_are_listed(capsys, stack):
    assert result(capsys, "queries")["most"] == []
