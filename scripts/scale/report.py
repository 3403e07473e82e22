"""What a simulated week came to, as text and as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gossamer.search.groups.groups import GROUP_DOCUMENTS
from scripts.scale.bill import bill, kinds, usd
from scripts.scale.findings import HOUR
from scripts.scale.plan import WEEK

if TYPE_CHECKING:
    from scripts.scale.week import Week

COLUMNS = ("pages wanted", "stack", "pages", "pages/s", "most", "USD", "USD/million", "first break")


def row(week: Week, named: str) -> tuple[str, ...]:
    """One line of the table."""
    sums, first = week.sums, week.findings.first()
    took = sums.finished_at or WEEK
    cost = usd(week)
    return (
        f"{week.plan.pages:,}",
        named,
        f"{sums.pages:,.0f}",
        f"{sums.pages / took:,.1f}",
        f"{sums.fastest:,.0f}",
        f"{cost:,.0f}",
        f"{cost / max(sums.pages, 1) * 1e6:,.2f}",
        f"{first.moment()}: {first.what}" if first else "nothing",
    )


def table(rows: list[tuple[str, ...]]) -> str:
    """The table, as Markdown."""
    lines = ["| " + " | ".join(each) + " |" for each in (COLUMNS, ("---",) * len(COLUMNS), *rows)]
    return "\n".join(lines)


def text(week: Week, named: str) -> str:
    """All that there is to say about a week."""
    sums, plan = week.sums, week.plan
    given = ", ".join(f"{name}={value}" for name, value in plan.parameters.items())
    lines = [
        f"{plan.pages:,} pages on {plan.hosts:,} hosts, {named}" + (f" ({given})" if given else ""),
        f"  pages {sums.pages:,.0f}, revisits {sums.revisits:,.0f}, indexed {sums.indexed:,.0f}; "
        + (
            f"all after {sums.finished_at / HOUR:,.1f} h"
            if sums.finished_at
            else "not all in a week"
        ),
        f"  at most {sums.fastest:,.1f} pages/s, {sums.most_at_once:,.0f} functions at once;"
        f" {week.index.count():,.0f} segments,"
        f" a query asks {max(1, round(sums.indexed / GROUP_DOCUMENTS)):,} functions",
        "  oldest message: "
        + ", ".join(f"{stream} {age / HOUR:.1f} h" for stream, age in sums.oldest.items()),
        _a_page(week),
        *_incidents(week),
        *(f"  {item.usd:>10,.2f} $  {item.name}" for item in bill(week)),
        f"  {usd(week):>10,.2f} $  together,"
        f" {usd(week) / max(sums.pages, 1) * 1e6:,.2f} $ a million pages",
        *(
            f"  {'breaks' if each.is_break else 'note'}: {each.moment()}: {each.what}"
            + (f" → {each.advice}" if each.advice else "")
            for each in week.findings.in_order()
        ),
    ]
    return "\n".join(lines)


def _a_page(week: Week) -> str:
    """What `cost` of a stack says of a page, to be compared with it."""
    used, pages = kinds(week), max(week.sums.pages, 1)
    wru, rru, calls = (used.get(kind, 0.0) / pages for kind in ("wru", "rru", "invocations"))
    return f"  a page: {wru:.2f} write units, {rru:.2f} read units, {calls:.2f} invocations"


def _incidents(week: Week) -> list[str]:
    sums, found = week.sums, []
    if sums.old_messages:
        late = sums.old_until - (week.plan.incidents.deploy_at or 0.0)
        found.append(
            f"  deploy: {sums.old_messages:,.0f} messages of the older version,"
            f" the last one {late / HOUR:,.1f} h later"
        )
    if sums.redriven:
        found.append(f"  crash: {sums.redriven:,.0f} dead letters, sent again by hand")
    return found


def record(week: Week, named: str) -> dict[str, Any]:
    """The same for programs."""
    sums = week.sums
    return {
        "stack": named,
        "parameters": week.plan.parameters,
        "wanted": week.plan.pages,
        "pages": sums.pages,
        "indexed": sums.indexed,
        "finished_at": sums.finished_at,
        "fastest": sums.fastest,
        "functions_at_once": sums.most_at_once,
        "oldest": dict(sums.oldest),
        "units": dict(sums.units),
        "usd": {item.name: item.usd for item in bill(week)},
        "findings": [
            {"at": each.at, "what": each.what, "advice": each.advice, "breaks": each.is_break}
            for each in week.findings.in_order()
        ],
    }
