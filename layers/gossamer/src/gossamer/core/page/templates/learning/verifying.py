"""Candidates checked as templates will use them: by their selectors, on the marked pages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gossamer.core.page.templates.extraction import Page
from gossamer.core.page.templates.field_values import read_field
from gossamer.core.page.templates.learning.paths import blanks_in
from gossamer.core.page.templates.template import FieldRule
from gossamer.core.page.values import each, in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.page.templates.learning.choosing import Candidate, Marked


def verify(candidate: Candidate, pages: Sequence[Marked], *, many: bool) -> Candidate | None:
    """Return the candidate with a selector that finds what its path finds; None if none does.

    Labels may hold blanks that only people take for such; a selector names them if it has to.
    """
    if _holds(candidate, pages, many=many):
        return candidate
    text = "".join(text for page in pages for text in page.view.root.itertext())
    named = replace(candidate, path=replace(candidate.path, blanks=blanks_in(text)))
    return named if named.path.blanks and _holds(named, pages, many=many) else None


def _holds(candidate: Candidate, pages: Sequence[Marked], *, many: bool) -> bool:
    """Tell whether a selector returns each marked value that its path finds."""
    rule = FieldRule(
        select=[candidate.path.selector()],
        type="list" if many else "text",
        clean=candidate.cut.replacements(),
    )
    for page, texts in zip(pages, candidate.found, strict=True):
        wanted = page.plain(texts if many else texts[:1]) & page.plain(page.values)
        if wanted and not wanted <= page.plain(_extracted(rule, page)):
            return False
    return True


def _extracted(rule: FieldRule, page: Marked) -> list[str]:
    whole = Page(page.view.root, page.base, None, trace=False)
    value = read_field(rule, page.view.root, whole, frozenset()).value
    return [] if value is None else list(map(in_words, each(value)))
