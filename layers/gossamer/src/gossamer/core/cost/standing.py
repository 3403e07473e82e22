"""What a stack costs by the month, whether it works or not: list prices, and what idling takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.cost.prices import Line, usd

if TYPE_CHECKING:
    from collections.abc import Mapping

HOURS = 730  # of a month
GB = 10**9
# US dollars a month. Tables of which every moment of 35 days can be restored are paid for twice.
S3_GB, DYNAMODB_GB, RECOVERABLE_GB = 0.023, 0.25, 0.20
ALARM_METRICS = 3.2  # that an alarm of template.yaml reads on average: each is billed
# US dollars a month for one; by the types of CloudFormation's.
MONTHLY = {
    "AWS::SecretsManager::Secret": ("Secrets Manager, secrets", 0.40),
    "AWS::CloudWatch::Alarm": ("CloudWatch alarms", 0.10 * ALARM_METRICS),
    "AWS::CloudWatch::CompositeAlarm": ("CloudWatch composite alarms", 0.50),
    "AWS::CloudWatch::Dashboard": ("CloudWatch dashboards", 3.00),
    "AWS::WAFv2::WebACL": ("WAF web ACLs", 5.00),
    "AWS::EC2::NatGateway": ("NAT gateways", 0.045 * HOURS),
}
MAPPING = "AWS::Lambda::EventSourceMapping"
# Lambda polls a queue that has nothing with five pollers, each of which waits for 20 seconds. Its
# guide says that it may go down to two, but not where MaximumConcurrency is set, as we do.
POLLS = 5 * 3 * 60 * HOURS
# Of `merge`, which COMPACT lets Lambda poll only while there is something to merge.
RESTING = 1
LOGGED_BY_LAMBDA = 800  # bytes of an invocation: its start and its report. An estimate
# Calls that find nothing to do, as tests/functions/test_idle.py counts them. Their milliseconds are
# an estimate for a warm function.
TICKS: dict[str, tuple[int, dict[str, float]]] = {
    "SCHEDULE each minute": (
        60 * HOURS,
        {"invocations": 1, "gbms": 30, "wru": 1, "rru": 6.5, "sqs": 2, "logs": 1300},
    ),
    "COMPACT each five minutes": (
        12 * HOURS,
        {"invocations": 1, "gbms": 100, "wru": 3.2, "rru": 8.2, "sqs": 1, "logs": 1250},
    ),
    "COMPACT each quarter of an hour, for small WARC objects": (
        4 * HOURS,
        {"invocations": 1, "gbms": 100, "wru": 3, "rru": 3, "s3put": 1, "logs": 1200},
    ),
}
# An idle stack sends no metrics of its own: calls that find nothing to do tell none.
# What AWS gives every account for ever, each month: metrics of alarms, dashboards, requests of SQS,
# invocations and GB-milliseconds of Lambda.
FREE_UNITS = {"sqs": 1e6, "invocations": 1e6, "gbms": 4e8}
FREE_THINGS = {"AWS::CloudWatch::Alarm": 10 / ALARM_METRICS, "AWS::CloudWatch::Dashboard": 3}


def standing(resources: Mapping[str, int], *, free_tier: bool = False) -> list[Line]:
    """The lines of a month without a crawl and without a search.

    With `free_tier`, without what an account has for nothing if it has nothing else.
    """
    free = FREE_THINGS if free_tier else {}
    lines = [
        _line(name, max(0, resources.get(kind, 0) - free.get(kind, 0)), price)
        for kind, (name, price) in MONTHLY.items()
    ]
    return [line for line in [*lines, *_idling(resources, free_tier)] if line.count]


def _idling(resources: Mapping[str, int], free_tier: bool) -> list[Line]:
    polls = float(max(0, resources.get(MAPPING, 0) - RESTING) * POLLS)
    if free_tier:
        polls = max(0, polls - FREE_UNITS["sqs"])
    named = {"SQS, polling of queues that have nothing": (polls, {"sqs": 1.0})}
    left_out = (*FREE_UNITS, "logs") if free_tier else ()
    for name, (calls, units) in TICKS.items():
        named[name] = calls, {unit: n for unit, n in units.items() if unit not in left_out}
    return [_line(name, count, usd(units)) for name, (count, units) in named.items()]


def _line(name: str, count: float, price: float) -> Line:
    return Line("month", name, count, count * price)


def storage(s3: int, dynamodb: int, recoverable: int) -> list[Line]:
    """The lines of a month for what is stored."""
    kept = [
        ("S3, bytes", s3, S3_GB / GB),
        ("DynamoDB, bytes", dynamodb, DYNAMODB_GB / GB),
        ("DynamoDB, bytes whose past is kept", recoverable, RECOVERABLE_GB / GB),
    ]
    return [_line(name, count, price) for name, count, price in kept if count]


def total(lines: list[Line]) -> float:
    """All lines together."""
    return sum(line.usd for line in lines)
