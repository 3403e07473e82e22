"""Is the bill of a crawl right, and does it read well?"""

from __future__ import annotations

import msgspec
import pytest

from gossamer.core.cost.standing import ALARM_METRICS
from gossamer.entrypoints.cli.stack.cost import cost, summary
from tests.unit.entrypoints.moto_stack import STACK, home, result, run

COUNTS = {
    "pages": 500,
    "wru": 12_500,
    "wru_index": 5_000,
    "rru": 10_000,
    "sqs": 1_000,
    "s3put": 50,
    "s3get": 500,
    "gbms": 100_000,
    "invocations": 200,
    "postings": 150_000,
    "bytes": 9e9,
}


def test_every_line_is_its_count_times_its_price():
    found = cost(COUNTS)

    by_unit = {line.unit: line for line in found.lines}
    assert set(by_unit) == {"wru", "rru", "sqs", "s3put", "s3get", "gbms", "invocations"}
    assert by_unit["wru"].usd == pytest.approx(12_500 * 0.625e-6)
    assert by_unit["wru"].per_page == 25
    assert by_unit["wru"].usd_per_million == pytest.approx(25 * 0.625)
    assert found.usd == pytest.approx(sum(line.usd for line in found.lines))
    assert found.usd_per_million == pytest.approx(found.usd / 500 * 1e6)


def test_the_other_design_writes_each_posting_twice_in_place_of_our_index():
    other = cost(COUNTS).per_posting

    assert other is not None
    assert other.wru_per_page == (12_500 - 5_000 + 2 * 150_000) / 500
    assert other.usd - cost(COUNTS).usd == pytest.approx((300_000 - 5_000) * 0.625e-6)
    assert other.times > 15


def test_a_larger_crawl_is_predicted_from_this_one():
    found = cost(COUNTS, predict=1_000_000)

    merges, ranking = 0.85 * 0.625, 4.4 * 0.625  # write units a page
    assert found.predicted_ranking_usd == pytest.approx(ranking)
    assert found.predicted_usd == pytest.approx(found.usd_per_million + merges + ranking)


def test_a_ranking_that_was_counted_is_not_predicted_once_more():
    ranked = cost({**COUNTS, "rankings": 3}, predict=1_000_000)

    assert ranked.predicted_ranking_usd == 0
    assert "ranking" not in summary(ranked)
    assert "of which $2.75 for the first ranking" in summary(cost(COUNTS, predict=1_000_000))


def test_nothing_was_crawled_yet():
    found = cost({"rru": 3.0}, predict=1000)

    assert (found.pages, found.usd_per_million, found.per_posting) == (0, 0.0, None)
    assert summary(found).startswith("No pages yet, $0.000000")


def test_a_person_can_read_it():
    text = summary(cost(COUNTS, predict=2_000_000))

    assert "500 pages" in text
    assert "DynamoDB write units" in text
    assert "with one item per posting (150,000 of them)" in text
    assert "2,000,000 pages like these: $" in text
    assert all(len(line) <= 120 for line in text.splitlines())


def test_a_program_can_read_it():
    assert msgspec.json.decode(msgspec.json.encode(cost(COUNTS)))["pages"] == 500


def test_the_bill_is_made_of_what_was_counted(capsys, stack):
    from time import time

    home().counters.add({"pages": 1000, "wru": 20_000, "postings": 200_000}, time())

    bill = result(capsys, "cost", "--predict", "1000000")

    assert bill["pages"] == 1000
    assert bill["usd"] == pytest.approx(0.0125)
    assert bill["predicted_usd"] == pytest.approx(12.5 + (0.85 + 4.4) * 0.625)


def test_time_of_an_emulator_is_told_apart():
    found = cost({**COUNTS, "gbms_emulated": 60_000})

    assert found.emulated_usd == pytest.approx(60_000 * 0.0133334e-6)
    assert "measured on an emulator" in summary(found)
    assert "emulator" not in summary(cost(COUNTS))


@pytest.mark.usefixtures("stack")
def test_an_idle_month_names_what_it_pays_for(capsys):
    opened = home()
    kept = {"Bucket": opened.bucket, "Key": "warc/web/1.warc.gz", "Body": bytes(10**6)}
    opened.clients.call("s3", "PutObject", "a page", **kept)
    found = result(capsys, "cost", "--idle")
    code, text, _ = run(capsys, "--stack", STACK, "cost", "--idle")

    by_name = {line["name"]: line["usd"] for line in found["lines"]}
    assert by_name["CloudWatch alarms"] == pytest.approx(12 * 0.10 * ALARM_METRICS)
    assert found["usd"] == pytest.approx(sum(by_name.values()))
    assert found["usd_with_free_tier"] < found["usd"]
    assert found["stored_usd"] == pytest.approx(0.023e-3)
    assert (code, "polling of queues" in text) == (0, True)
