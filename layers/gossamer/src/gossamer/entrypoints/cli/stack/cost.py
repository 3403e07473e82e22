"""The command `gossamer --stack NAME cost`: what a crawl cost, and what a larger one will.

The counts are those that every invocation adds to `stats`; the prices are list prices. Storage is
not in it: that is paid by the month, not by the crawl.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.core.cost.prices import MILLION, Line, bill, usd
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How many pages a prediction is for."""
    parser.add_argument(
        "--predict", type=int, default=0, metavar="N", help="also what N pages like these will cost"
    )


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Print the bill."""
    found = cost(stack.home.sums(), args.predict)
    print_result(args, found, summary(found))
    return DONE


def cost(counts: Mapping[str, float], predict: int = 0) -> Cost:
    """The bill for what was counted; for `predict` pages too, if each costs what these did."""
    pages = int(counts.get("pages", 0))
    each = 1 / pages if pages else 0.0
    total = usd(counts)
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
        usd=total,
        usd_per_page=total * each,
        usd_per_million=round(total * each * MILLION, 6),
        per_posting=_per_posting(counts, each, total),
        predicted_pages=predict,
        predicted_usd=total * each * predict,
    )


def _per_posting(counts: Mapping[str, float], each: float, total: float) -> Alternative | None:
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
        times=round(other / total, 1) if total else 0.0,
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
        lines += ["", f"  {found.usd_per_million:,.2f} $ a million pages; storage comes on top"]
    if found.per_posting:
        other = found.per_posting
        lines.append(
            f"  with one item per posting ({other.postings:,} of them):"
            f" {other.usd_per_million:,.2f} $, {other.times:.0f} times as much"
        )
    if found.predicted_pages:
        lines.append(
            f"  {found.predicted_pages:,} pages like these: {_dollars(found.predicted_usd)}"
        )
    return "\n".join(lines)


def _dollars(amount: float) -> str:
    """$0.000123, $12.34."""
    return f"${amount:,.2f}" if amount >= 1 or amount == 0 else f"${amount:.6f}"
