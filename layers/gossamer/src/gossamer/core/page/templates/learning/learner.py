"""A template from pages on which people have marked values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gossamer.core.page.templates.learning.choosing import Marked, choose
from gossamer.core.page.templates.learning.declared import Declarations
from gossamer.core.page.templates.learning.field_rules import declared_rule, rule_of
from gossamer.core.page.templates.learning.kinds import guess
from gossamer.core.page.templates.learning.page_view import PageView, view_of
from gossamer.core.page.templates.learning.url_patterns import patterns_of
from gossamer.core.page.templates.selecting import page_tree
from gossamer.core.page.templates.template import FieldRule, Template

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.core.page.templates.learning.kinds import Kind

MAX_PAGES: Final = 10  # from which is learned; more say little more
MIN_F1: Final = 0.5  # of a rule on the marked pages; a worse one is wrong as often as right
_TITLES: Final = ("title", "name", "model", "product", "headline")


@dataclass(frozen=True, slots=True)
class MarkedPage:
    """A page with the values of its fields, as people see them; `wrong` are those that are not."""

    url: str
    html: str
    values: Mapping[str, Sequence[str]]
    wrong: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Learned:
    """A template, how well each field does on the marked pages, and the fields it leaves out."""

    template: Template
    f1: dict[str, float]
    lost: list[str]


def learn(
    name: str, pages: Sequence[MarkedPage], kinds: Mapping[str, Kind] | None = None
) -> Learned:
    """Learn where the values stand that are marked on some pages; three pages suffice."""
    pages = pages[:MAX_PAGES]
    views = [view_of(page_tree(page.html)) for page in pages]
    declared = Declarations([(page.html, page.url) for page in pages])
    names = dict.fromkeys(name for page in pages for name in page.values)
    learned = {each: _learn_field(each, pages, views, declared, kinds or {}) for each in names}
    found = {each: pair for each, pair in learned.items() if pair is not None}
    template = Template(
        name=name,
        match=patterns_of([page.url for page in pages]),
        title=next((f"{{{each}}}" for each in _TITLES if each in found), ""),
        fields={each: rule for each, (rule, _) in found.items()},
    )
    f1 = {each: score for each, (_, score) in found.items()}
    return Learned(template, f1, [each for each in names if each not in found])


def _learn_field(
    name: str,
    pages: Sequence[MarkedPage],
    views: Sequence[PageView],
    declared: Declarations,
    kinds: Mapping[str, Kind],
) -> tuple[FieldRule, float] | None:
    """The rule of a field, and how well it does on the marked pages."""
    kind = kinds.get(name) or guess(value for page in pages for value in page.values.get(name, []))
    everywhere = all(page.values.get(name) for page in pages)
    for tried in dict.fromkeys((kind, "text")):
        marked = [_marked(page, view, name, tried) for page, view in zip(pages, views, strict=True)]
        choice = choose([each for each in marked if each is not None])
        source = declared.typed(marked)
        if not source and (choice is None or choice.f1 < 1):
            source = declared.named(marked)
        if source:
            many = any(len(page.values.get(name, [])) > 1 for page in pages)
            return declared_rule(source, choice, tried, many=many, required=everywhere), 1.0
        if choice is not None and choice.f1 >= MIN_F1:
            rule = rule_of(choice, tried, required=everywhere and choice.f1 == 1)
            return rule, choice.f1
    return None


def _marked(page: MarkedPage, view: PageView, name: str, kind: Kind) -> Marked | None:
    """The page for one field; a page that says nothing of the field teaches nothing of it."""
    if name not in page.values and name not in page.wrong:
        return None
    return Marked(
        view,
        list(page.values.get(name, [])),
        frozenset(page.wrong.get(name, ())),
        kind,
        page.url,
        says=name in page.values,
    )
