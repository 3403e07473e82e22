"""`gossamer template heal`: learn a template again whose pages have changed, and propose that."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer.batch.known_pages import known_pages
from gossamer.core.errors import ConfigurationError, Unending
from gossamer.core.page.templates.collected import with_template
from gossamer.core.page.templates.healing.healer import WELL, heal
from gossamer.core.page.templates.healing.known import Found, read_with
from gossamer.core.page.templates.template import read_template, to_toml
from gossamer.entrypoints.cli.command import cause
from gossamer.entrypoints.cli.templates import bounded, keeping
from gossamer.entrypoints.cli.templates.applying import Applied
from gossamer.entrypoints.cli.templates.applying import to_text as applied_to_text
from gossamer.entrypoints.cli.templates.health import health_in
from gossamer.entrypoints.collection import templates as collection

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from gossamer.core.page.templates.healing.healer import Healed
    from gossamer.core.page.templates.healing.judging import Tally
    from gossamer.core.page.templates.healing.known import KnownPage
    from gossamer.core.page.templates.template import FieldRule, Template
    from gossamer.ports.home import Home

SECONDS = 300.0  # for learning again; 100 pages take some
MOST_ENDED = 3  # visits on which the template does not end, before no other one is read
LEAST_VALUES = 10  # known ones, without which nothing is applied
WIDTH = 76  # characters of a selector that people see


class FieldHealed(msgspec.Struct, frozen=True):
    """Where the values of a field stood and stand, and how many come out."""

    name: str
    before: list[str]
    after: list[str]
    fill_before: float  # share of the records with a value, on the pages as they are now
    fill_after: float
    stored: int  # values that are known
    out_before: int
    out_after: int


class Selector(msgspec.Struct, frozen=True):
    """A selector of the template as a whole."""

    key: str
    before: str
    after: str


class Healing(msgspec.Struct, frozen=True, kw_only=True):
    """What was learned again of a template, and what became of it."""

    template: str
    alarms: list[str]
    pages: int  # on which values are known
    stored: int  # values
    share_before: float  # of them that come out
    share_after: float
    records: int  # that are known
    records_before: int  # that are found
    records_after: int
    selectors: list[Selector]
    fields: list[FieldHealed]
    proposal: str = ""  # the template as a file; "" if nothing is to be healed
    file: str = ""
    refused: str = ""  # why it is not used
    applied: Applied | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `heal` is told."""
    group = parser.add_argument_group("heal")
    group.add_argument(
        "--apply", action="store_true",
        # (without a sign for per cent, which argparse would take for a format)
        help="`heal`: use what is proposed and read stored pages again, if at least"
        f" {100 * WELL:.0f} of 100 stored values come out",
    )  # fmt: skip


def propose(
    home: Home, args: argparse.Namespace, name: str, show: Callable[[str], None]
) -> tuple[Healing, Template]:
    """Learn a template of a collection again and write the proposal."""
    template = keeping.template_in(home, name)
    reader = _Reader()
    pages = known_pages(home, template, keeping.templates_in(home), show, reader.read)
    show("")
    reader.check(name)
    if not pages:
        raise ConfigurationError(
            f"the WARC has no visit of a changed page on which {name!r} found something: nothing is"
            " known that could come out again"
        )
    healed = _healed(template, pages)
    found = _healing(template, healed, len(pages), _alarms(home, name))
    if healed.template == template:
        return found, template
    text = to_toml(healed.template)
    file = _file(args, name)
    read_template(text, str(file))  # what is written can be read
    _write(file, text)
    refused = _refusal(healed.after)
    return msgspec.structs.replace(found, proposal=text, file=str(file), refused=refused), (
        healed.template
    )


@dataclass
class _Reader:
    """Reads visits by a template, each for some seconds at most."""

    ended: list[str] = field(default_factory=list)  # the pages on which it did not end

    def read(self, template: Template, html: str, url: str) -> Found:
        """What the template finds on a visit: nothing if that takes too long."""
        if len(self.ended) < MOST_ENDED:
            try:
                return bounded.within(bounded.PAGE_SECONDS, lambda: read_with(template, html, url))
            except Unending:
                self.ended.append(url)
        return Found([], [])

    def check(self, name: str) -> None:
        """Raise Unending for a template that did not end on several visits."""
        if len(self.ended) >= MOST_ENDED:
            raise Unending(
                f"{name!r} takes more than {bounded.PAGE_SECONDS:g} seconds on some pages:"
                f" `gossamer template test {name} {self.ended[0]}` says which selector is too slow"
            )


def _healed(template: Template, pages: Sequence[KnownPage]) -> Healed:
    try:
        return bounded.within(SECONDS, lambda: heal(template, pages))
    except Unending:
        raise Unending(
            f"{template.name}: learning again takes more than {SECONDS:g} seconds, or too much"
            " memory; mark values on some pages: `gossamer template learn`"
        ) from None


def keep(home: Home, template: Template) -> None:
    """Keep a proposal in place of the template that it heals."""
    collection.keep(home, with_template(keeping.templates_in(home), template))


def is_well(healing: Healing) -> bool:
    """Whether the known values come out as it is."""
    return healing.share_before >= WELL


def _alarms(home: Home, name: str) -> list[str]:
    return [alarm for health in health_in(home, [name]) for alarm in health.alarms]


def _refusal(after: Tally) -> str:
    """Why a proposal is not used by itself; "" if it may be."""
    stored = after.stored.total()
    if stored < LEAST_VALUES:
        return f"only {stored} values are known, {LEAST_VALUES} are needed"
    if after.share < WELL:
        out = after.out.total()
        return f"{out:,} of {stored:,} stored values come out ({after.share:.1%}), not {WELL:.0%}"
    return ""


def _file(args: argparse.Namespace, name: str) -> Path:
    return Path(args.into) / f"{name}.toml" if args.into else Path(f"{name}.healed.toml")


def _write(file: Path, text: str) -> None:
    """A proposal may be written over an older one, but over nothing in a folder of others."""
    if file.exists() and not file.name.endswith(".healed.toml"):
        raise ConfigurationError(f"{file} is there already; choose another folder")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    except OSError as error:
        raise ConfigurationError(f"cannot write {file}: {cause(error)}") from error


def _healing(template: Template, healed: Healed, pages: int, alarms: list[str]) -> Healing:
    before, after, new = healed.before, healed.after, healed.template
    keys = [key for key in ("items", "next") if getattr(template, key) != getattr(new, key)]
    return Healing(
        template=template.name,
        alarms=alarms,
        pages=pages,
        stored=before.stored.total(),
        share_before=round(before.share, 4),
        share_after=round(after.share, 4),
        records=before.known,
        records_before=before.found,
        records_after=after.found,
        selectors=[Selector(key, getattr(template, key), getattr(new, key)) for key in keys],
        fields=[
            FieldHealed(
                name,
                _places(rule),
                _places(new.fields[name]),
                round(before.fill_of(name), 4),
                round(after.fill_of(name), 4),
                before.stored[name],
                before.out[name],
                after.out[name],
            )
            for name, rule in template.fields.items()
        ],
    )


def _places(rule: FieldRule) -> list[str]:
    """Where a rule looks, and what it cuts away."""
    selectors = [f"{each} @{rule.attribute}" if rule.attribute else each for each in rule.select]
    return [*rule.source, *selectors, *(f"clean {each}" for each in rule.clean)]


def to_text(healing: Healing) -> str:
    """What people read: the alarms, old and new selectors, figures, and what to do now."""
    lines = [f"ALARM: {alarm}" for alarm in healing.alarms]
    lines += [
        f"{healing.template}: {healing.stored:,} values are known of {healing.records:,} records on"
        f" {healing.pages:,} pages; {healing.share_before:.1%} come out now"
        + (f", {healing.share_after:.1%} by the proposal" if healing.proposal else "")
    ]
    for selector in healing.selectors:
        lines += [f"  {selector.key}", f"    - {selector.before}", f"    + {selector.after}"]
    if healing.selectors:
        lines.append(
            f"  records found: {healing.records_before:,} before, {healing.records_after:,} after"
        )
    for each in healing.fields:
        lines += _field_lines(each)
    return "\n".join([*lines, *_ending(healing)])


def _field_lines(field: FieldHealed) -> list[str]:
    lines = [
        f"  {field.name:16} {field.out_before:,} -> {field.out_after:,} of {field.stored:,} values;"
        f" filled {field.fill_before:.0%} -> {field.fill_after:.0%}"
    ]
    if field.before != field.after:
        lines += [f"    - {each[:WIDTH]}" for each in field.before if each not in field.after]
        lines += [f"    + {each[:WIDTH]}" for each in field.after if each not in field.before]
    return lines


def _ending(healing: Healing) -> list[str]:
    if not healing.proposal:
        if is_well(healing):
            return ["nothing is to be healed"]
        return ["nothing better was found; mark values on some pages: `gossamer template learn`"]
    ending = [f"written to {healing.file}"]
    if healing.applied:
        return [*ending, applied_to_text(healing.applied)]
    if healing.refused:
        ending.append(f"not to be used unseen: {healing.refused}")
    name = healing.template
    return [*ending, f"`gossamer template test {healing.file}` shows what it finds,"
            f" `gossamer template apply {healing.file}` uses it for {name}"]  # fmt: skip
