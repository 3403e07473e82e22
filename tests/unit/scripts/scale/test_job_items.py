"""What does the model ask of a job's item and of its blocks?"""

from __future__ import annotations

import pytest

from scripts.scale.functions import Turn
from scripts.scale.job_items import reading, reserving


def test_a_busy_process_reads_a_job_once_a_second():
    turn = Turn(messages=10_000.0, invocations=1_200.0, seconds=0.5)  # ten at once

    assert reading(turn, 60.0, limited=False) == {"rru jobs": pytest.approx(660.0)}


def test_few_invocations_read_it_once_each():
    assert reading(Turn(5.0, 5.0, 0.5), 60.0, limited=False) == {"rru jobs": 5.0}


def test_with_a_limit_its_blocks_are_read_too():
    assert reading(Turn(5.0, 5.0, 0.5), 60.0, limited=True)["rru blocks"] == 40.0


def test_a_reservation_is_split_over_the_keys_and_nothing_is_lost():
    asked = reserving({"rru jobs": 0.2, "wru jobs": 0.5, "wru urls": 2.0}, 1_000.0)

    assert asked["wru urls"] == 2_000.0
    assert asked["rru jobs"] + asked["rru blocks"] == pytest.approx(200.0)
    assert asked["wru jobs"] + asked["wru blocks"] == pytest.approx(500.0)
    assert asked["wru jobs"] == pytest.approx(10.0)  # a job lends 200 units at once
