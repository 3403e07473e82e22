"""Queries of many words: the words that tell most are searched, and a note says so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gossamer.core.search.lexemes import MAX_TERMS
from gossamer.core.search.plan import Kind
from gossamer.core.search.scoring import idf

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from gossamer.core.search.plan import Plan

MAX_COUNTED_TERMS = 1_000  # of a query, of which it is looked up in how many documents they are


def is_long(plan: Plan) -> bool:
    """Whether a ranked query has more terms than are searched."""
    return plan.mode == "ranked" and len(plan.asked) > MAX_TERMS


def counted_terms(plan: Plan) -> dict[str, int]:
    """Return the terms of a long query that are compared, and how often it has each."""
    terms = [(asked.text, asked.times) for asked in plan.asked if asked.kind is Kind.TERM]
    return dict(terms[:MAX_COUNTED_TERMS])


def heaviest_terms(times: Mapping[str, int], dfs: Sequence[int], size: int) -> list[str]:
    """Return the terms of highest IDF, of those that any document has.

    A term counts as often as the query has it, as in scores.
    """
    weights = {t: n * idf(df, size) for (t, n), df in zip(times.items(), dfs, strict=True) if df}
    return sorted(weights, key=lambda term: -weights[term])[:MAX_TERMS]


def with_terms(plan: Plan, terms: Collection[str] | None) -> Plan:
    """Return a plan of which only some terms add to scores; None stands for all."""
    if terms is None:
        return plan
    kept = frozenset(terms)
    asked = [each for each in plan.asked if each.kind is Kind.TERM and each.text in kept]
    note = f"a query of more than {MAX_TERMS} words: the {len(asked)} that tell most were searched"
    return replace(plan, asked=tuple(asked), name=None, notes=(*plan.notes, note))
