"""Does a simulated table refuse what DynamoDB would?"""

from __future__ import annotations

import pytest

from scripts.scale import limits
from scripts.scale.findings import Findings
from scripts.scale.tables import Tables


def shares(tables: Tables, now: float = 0.0, **wanted: float) -> dict[str, float]:
    named = {name.replace("_", " ", 1): load for name, load in wanted.items()}
    return tables.shares(named, now, Findings())


def test_a_new_table_takes_four_thousand_writes_a_second():
    assert shares(Tables(), wru_urls=4_000) == {}
    assert shares(Tables(), wru_urls=8_000) == {"wru urls": 0.5}


def test_a_table_takes_twice_its_former_peak():
    tables = Tables()
    shares(tables, 0.0, wru_urls=4_000)

    assert shares(tables, 60.0, wru_urls=8_000) == {}
    assert shares(tables, 3_600.0, wru_urls=16_000) == {}


def test_a_table_takes_no_more_than_its_quota():
    tables = Tables()
    for now in range(0, 36_000, 60):
        shares(tables, float(now), wru_urls=min(40_000.0, 4_000.0 * 1.5 ** (now / 3_600)))

    assert shares(tables, 36_000.0, wru_urls=80_000) == {"wru urls": 0.5}


def test_one_key_takes_what_a_partition_takes():
    assert shares(Tables(), wru_jobs=2_000) == {"wru jobs": 0.5}
    assert shares(Tables(jobs=2), wru_jobs=2_000) == {}


@pytest.mark.parametrize(("load", "breaks"), [(2_000.0, True), (900.0, False)])
def test_a_hot_key_is_a_finding(load, breaks):
    findings = Findings()
    Tables().shares({"wru jobs": load}, 60.0, findings)

    assert (findings.first() is not None) == breaks
    assert limits.PARTITION_WRITES == 1_000
