"""The small answer to a query, if it clearly asks for one."""

from __future__ import annotations

from gossamer.core.search.answers.arithmetic import result_of
from gossamer.core.search.answers.units import conversion_of
from gossamer.core.search.result import Answer, Hit


def computed(query: str) -> Answer | None:
    """What can be computed: arithmetic, or a conversion of units."""
    if (result := result_of(query)) is not None:
        asked = query.strip().removesuffix("=").strip()
        return Answer(kind="arithmetic", asked=asked, text=result)
    if (converted := conversion_of(query)) is not None:
        return Answer(kind="units", asked=converted[0], text=converted[1])
    return None


def card_of(query: str, hits: list[Hit]) -> Answer | None:
    """The one result that is called just as the query, with its values; None if several are.

    Of the first result without values a card would only say the same again.
    """
    named = [hit for hit in hits if hit.named]
    if len(named) != 1:
        return None
    [hit] = named
    if not hit.values and hit is hits[0]:
        return None
    return Answer(
        kind="card",
        asked=query.strip(),
        text=hit.snippet,
        title=hit.title,
        url=hit.url,
        id=hit.id,
        values=hit.values,
    )
