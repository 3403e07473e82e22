"""What does a stack cost that does nothing?"""

from __future__ import annotations

from collections import Counter

import pytest

from gossamer.core.cost.standing import ALARM_METRICS, MAPPING, standing, storage, total
from tests.topology.template import load, metrics_of, of_type

WANTED = 2.0  # US dollars at list prices, of which 1.31 are Lambda's polling of five queues


def deployed() -> Counter[str]:
    """What template.yaml makes without further parameters."""
    resources = load()["Resources"].values()
    plain = [each for each in resources if "Condition" not in each]
    found = Counter(each["Type"] for each in plain)
    events = [event for each in plain for event in each["Properties"].get("Events", {}).values()]
    found[MAPPING] = sum(event["Type"] == "SQS" for event in events)
    return found


def test_each_thing_costs_its_price():
    lines = standing({"AWS::CloudWatch::Alarm": 12, "AWS::SecretsManager::Secret": 1})

    by_name = {line.name: line.usd for line in lines}
    assert by_name["CloudWatch alarms"] == pytest.approx(12 * 0.10 * ALARM_METRICS)
    assert by_name["Secrets Manager, secrets"] == pytest.approx(0.40)


def test_an_alarm_costs_as_much_as_the_metrics_that_it_reads():
    alarms = of_type(load(), "AWS::CloudWatch::Alarm").values()

    assert sum(len(metrics_of(each)) for each in alarms) / len(alarms) == ALARM_METRICS


def test_queues_are_polled_though_they_have_nothing():
    before, after = standing({}), standing({MAPPING: 6})

    # 5 queues (merge rests), 5 pollers, 3 polls a minute
    assert total(after) - total(before) == pytest.approx(5 * 5 * 3 * 60 * 730 * 0.40e-6)


def test_the_free_tier_makes_it_cheaper_and_never_less_than_nothing():
    lines = standing({"AWS::CloudWatch::Alarm": 3, MAPPING: 1}, free_tier=True)

    assert all(line.usd >= 0 for line in lines)
    assert "CloudWatch alarms" not in {line.name for line in lines}


def test_the_template_is_cheap_when_idle():
    assert deployed()[MAPPING] == 6
    assert total(standing(deployed())) <= WANTED
    assert total(standing(deployed(), free_tier=True)) <= 1.5


def test_what_is_stored_is_paid_by_its_bytes():
    assert total(storage(10**9, 2 * 10**9, 0)) == pytest.approx(0.023 + 0.50)
    assert storage(0, 0, 0) == []


def test_what_can_be_restored_to_any_moment_is_paid_for_once_more():
    assert total(storage(0, 2 * 10**9, 10**9)) == pytest.approx(0.50 + 0.20)
