"""The command `gossamer --stack NAME cost`: what a crawl cost, and what a larger one will.

The counts are those that every invocation adds to `stats`, with what Lambda asks of SQS in our
name; the prices are list prices. What is paid by the month, whether there is a crawl or not, is
listed apart: storage, alarms, secrets, and queues that are polled in vain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.core.cost.prediction import predicted
from gossamer.core.cost.prices import EMULATED, MILLION, PRICES, Line, bill, usd
from gossamer.core.cost.standing import standing, storage, total
from gossamer.entrypoints.cli.command import DONE, print_result

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from gossamer.entrypoints.cli.stack.home import Stack

# Of the design that writes an item per posting: the item, and its entry in the index by weight.
UNITS_PER_POSTING = 2
INDEX_UNITS = "wru_index"  # the write units of the index's own tables, among all


class CostLine(Line, frozen=True):
    """A line of the bill, and what a page has of it."""

    per_page: float  # units
    usd_per_million: float  # pages


class Alternative(msgspec.Struct, frozen=True):
    """The same run with one item per posting, and nothing else changed."""

    postings: int
    wru_per_page: float
    usd: float
    usd_per_million: float
    times: float  # dearer than ours


class Cost(msgspec.Struct, frozen=True):
    """The bill of a crawl."""

    pages: int
    lines: list[CostLine]
    usd: float
    usd_per_page: float
    usd_per_million: float
    per_posting: Alternative | None = None
    predicted_pages: int = 0
    predicted_usd: float = 0.0
    predicted_ranking_usd: float = 0.0  # of it: the first ranking, if there was none yet
    emulated_usd: float = 0.0  # of the bill: time that was measured on an emulator


class Month(msgspec.Struct, frozen=True):
    """What a stack costs in a month in which it does nothing."""

    lines: list[Line]
    usd: float
    usd_with_free_tier: float  # if the account has nothing else
    stored: list[Line]
    stored_usd: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How many pages a prediction is for."""
    parser.add_argument(
        "--predict", type=int, default=0, metavar="N", help="also what N pages like these will cost"
    )
    parser.add_argument(
        "--idle", action="store_true", help="what the stack costs a month while it does nothing"
    )


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Print the bill."""
    if args.idle:
        idle = month(stack)
        print_result(args, idle, month_summary(idle))
        return DONE
    found = cost(stack.home.sums(), args.predict)
    print_result(args, found, summary(found))
    return DONE


def month(stack: Stack) -> Month:
    """The bill of an idle month, by what the stack consists of and stores."""
    resources, kept = stack.home.resources(), stack.home.stored()
    lines = standing(resources)
    stored = storage(kept.s3, kept.dynamodb, kept.recoverable)
    free = total(standing(resources, free_tier=True))
    return Month(lines, total(lines), free, stored, total(stored))


def cost(counts: Mapping[str, float], predict: int = 0) -> Cost:
    """The bill for what was counted; for `predict` pages too, if each costs what these did."""
    pages = int(counts.get("pages", 0))
    each = 1 / pages if pages else 0.0
    whole = usd(counts)
    prediction = predicted(counts, predict)
    return Cost(
        pages=pages,
        lines=[
            CostLine(
                **msgspec.structs.asdict(line),
                per_page=round(line.count * each, 6),
                usd_per_million=round(line.usd * each * MILLION, 6),
            )
            for line in bill(counts)
        ],
        usd=whole,
        usd_per_page=whole * each,
        usd_per_million=round(whole * each * MILLION, 6),
        per_posting=_per_posting(counts, each, whole),
        predicted_pages=predict,
        predicted_usd=prediction.usd,
        predicted_ranking_usd=prediction.ranking_usd,
        emulated_usd=counts.get(EMULATED, 0.0) * PRICES["gbms"].per_million / MILLION,
    )


def _per_posting(counts: Mapping[str, float], each: float, whole: float) -> Alternative | None:
    postings = int(counts.get("postings", 0))
    if not postings:
        return None
    crawl = counts.get("wru", 0.0) - counts.get(INDEX_UNITS, 0.0)
    units = crawl + UNITS_PER_POSTING * postings
    other = usd({**counts, "wru": units})
    return Alternative(
        postings=postings,
        wru_per_page=round(units * each, 3),
        usd=other,
        usd_per_million=round(other * each * MILLION, 2),
        times=round(other / whole, 1) if whole else 0.0,
    )


def summary(found: Cost) -> str:
    """The bill as a page for a person."""
    lines = [f"{found.pages:,} pages, {_dollars(found.usd)} at list prices", ""]
    if not found.pages:
        lines[0] = f"No pages yet, {_dollars(found.usd)} at list prices"
    for line in found.lines:
        lines.append(
            f"  {line.name:<26} {line.count:>14,.0f} {_dollars(line.usd):>12}"
            f" {line.per_page:>9.2f} a page {line.usd_per_million:>9.2f} $ a million pages"
        )
    if found.pages:
        lines += [
            "",
            f"  {found.usd_per_million:,.2f} $ a million pages; what the month"
            " costs comes on top: --idle",
        ]
    if found.emulated_usd:
        lines.append(
            f"  {_dollars(found.emulated_usd)} of it is time measured on an emulator, whose"
            " milliseconds are not Lambda's"
        )
    if found.per_posting:
        other = found.per_posting
        lines.append(
            f"  with one item per posting ({other.postings:,} of them):"
            f" {other.usd_per_million:,.2f} $, {other.times:.0f} times as much"
        )
    if found.predicted_pages:
        lines.append(_prediction(found))
    return "\n".join(lines)


def _prediction(found: Cost) -> str:
    line = f"  {found.predicted_pages:,} pages like these: {_dollars(found.predicted_usd)}"
    if not found.predicted_ranking_usd:
        return line
    return f"{line}, of which {_dollars(found.predicted_ranking_usd)} for the first ranking"


def month_summary(found: Month) -> str:
    """The bill of a month as a page for a person."""
    lines = ["A month without a crawl and without searches, at list prices (estimates):", ""]
    lines += [
        f"  {line.name:<42} {line.count:>14,.0f} {_dollars(line.usd):>12}" for line in found.lines
    ]
    lines += [
        "",
        f"  {_dollars(found.usd)}; {_dollars(found.usd_with_free_tier)} with AWS's free tier,"
        " if the account has nothing else",
    ]
    lines += ["", f"and for what is stored, {_dollars(found.stored_usd)}:"]
    lines += [
        f"  {line.name:<42} {line.count:>14,.0f} {_dollars(line.usd):>12}" for line in found.stored
    ]
    return "\n".join(lines)


def _dollars(amount: float) -> str:
    """$0.000123, $12.34."""
    return f"${amount:,.2f}" if amount >= 1 or amount == 0 else f"${amount:.6f}"
