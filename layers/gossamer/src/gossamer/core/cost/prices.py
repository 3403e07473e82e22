"""List prices of AWS in us-east-1, on demand, without free tier; and bills made from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

MILLION = 1_000_000


class Price(msgspec.Struct, frozen=True):
    """The readable name of a unit, and the price of a million in USD."""

    name: str
    per_million: float


# Looked up in 2026, those of DynamoDB again in November. It halved its on-demand prices in November
# 2024; pages that still say 1.25 and 0.25 are older. Lambda is arm64; a GB-ms is a thousandth of
# the GB-s that AWS lists.
PRICES: dict[str, Price] = {
    "wru": Price("DynamoDB write units", 0.625),
    "rru": Price("DynamoDB read units", 0.125),
    "sqs": Price("SQS requests", 0.40),
    "s3put": Price("S3 PUT and LIST", 5.00),
    "s3get": Price("S3 GET", 0.40),
    "gbms": Price("Lambda GB-milliseconds", 0.0133334),
    "invocations": Price("Lambda invocations", 0.20),
    "apigw": Price("API Gateway REST requests", 3.50),
    "logs": Price("CloudWatch Logs, bytes", 0.0005),
}
# Of the Lambda time above, what an emulator took: its milliseconds are not Lambda's.
EMULATED = "gbms_emulated"


class Line(msgspec.Struct, frozen=True):
    """One line of a bill."""

    unit: str
    name: str
    count: float
    usd: float


def bill(units: Mapping[str, float]) -> list[Line]:
    """The cost of these units, line by line; a unit without a price has no line."""
    return [
        Line(unit, price.name, units[unit], units[unit] * price.per_million / MILLION)
        for unit, price in PRICES.items()
        if units.get(unit)
    ]


def usd(units: Mapping[str, float]) -> float:
    """The cost of these units together."""
    return sum(line.usd for line in bill(units))
