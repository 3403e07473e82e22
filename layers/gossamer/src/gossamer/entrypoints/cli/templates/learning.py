"""Learn a template: from values that people mark on some pages, or from a page that lists."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from gossamer.core.errors import ConfigurationError, Unending
from gossamer.core.index.declared import RESERVED
from gossamer.core.page.templates.learning.learner import MarkedPage, learn
from gossamer.core.page.templates.learning.lists.list_learner import learn_list
from gossamer.core.page.templates.template import read_template, to_toml
from gossamer.core.page.values import is_name
from gossamer.entrypoints.cli.templates import trial
from gossamer.entrypoints.cli.templates.bounded import within

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.core.page.templates.template import Template

_Learned = TypeVar("_Learned")
SECONDS = 60.0  # for learning, where a real site takes one
MARKS = {"URL": "--page", "FIELD=TEXT": "--value", "TEXT": "--not"}  # flags by their metavars
MAX_ROWS = 1_000  # of a CSV file
ORDERED = ("number", "money", "date")  # types whose values are sorted by, and asked for by ranges
MOST_ORDERED = 16  # of the columns of a collection, which are 32


class Lesson(msgspec.Struct):
    """A page and what was said of it on the command line."""

    page: str
    values: dict[str, list[str]] = {}
    wrong: list[str] = []


class LearnedTemplate(msgspec.Struct, frozen=True):
    """What was learned: the file, how well each field does on the marked pages, a preview."""

    file: str
    template: str
    f1: dict[str, float]
    not_found: list[str]
    preview: trial.Trial


class _Say(argparse.Action):
    """Keep `--page`, `--value` and `--not` in their order: a value is of the page before it."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        said = [*(getattr(namespace, "said", None) or []), (self.metavar, str(values))]
        namespace.said = said


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `learn` is told."""
    group = parser.add_argument_group("learn")
    for flag, metavar, about in (
        ("--page", "URL", "a page on which the values after it stand; three pages suffice"),
        ("--value", "FIELD=TEXT", 'a value of that page, as it is shown; "FIELD=": it has none'),
        ("--not", "TEXT", "a value of that page that is none of those of the field before it"),
    ):
        group.add_argument(flag, action=_Say, metavar=metavar, dest="said", default=[], help=about)
    group.add_argument("--csv", metavar="FILE", help="values: a column `page`, one for each field")
    group.add_argument("--list", metavar="URL", help="a page whose records are to be found")


def flags_of(args: argparse.Namespace) -> list[str]:
    """Return the flags of `learn` that were given."""
    flags = [MARKS[kind] for kind, _ in args.said]
    flags += ["--csv"] * (args.csv is not None) + ["--list"] * (args.list is not None)
    return flags


def run(args: argparse.Namespace, name: str, read: Callable[[str], trial.Page]) -> LearnedTemplate:
    """Learn a template and write its file."""
    file = Path(f"{name}.toml")
    if file.exists():
        raise ConfigurationError(f"{file} is there already; move it, or learn another name")
    if args.list:
        return _from_list(name, file, read(args.list))
    lessons = _lessons(args.said) + (_from_csv(Path(args.csv)) if args.csv else [])
    if not any(lesson.values for lesson in lessons):
        raise ConfigurationError(
            "say what stands where: --page URL --value price=12.50, or --list URL, or --csv FILE"
        )
    return _from_lessons(name, file, lessons, read)


def _from_list(name: str, file: Path, page: trial.Page) -> LearnedTemplate:
    template = _learned(lambda: learn_list(name, page.html, page.url), page.url)
    if template is None or not template.fields:
        raise ConfigurationError(f"{page.url}: nothing repeats there that looks like records")
    return _written(template, file, {}, [], [page])


def _from_lessons(
    name: str, file: Path, lessons: Sequence[Lesson], read: Callable[[str], trial.Page]
) -> LearnedTemplate:
    pages = [read(lesson.page) for lesson in lessons]
    marked = [_marked(page, lesson) for page, lesson in zip(pages, lessons, strict=True)]
    learned = _learned(lambda: learn(name, marked), f"these {len(marked)} pages")
    if not learned.template.fields:
        lost = ", ".join(learned.lost)
        raise ConfigurationError(
            f"no selector finds half of the values of {lost}; write them as the pages show them"
        )
    return _written(learned.template, file, learned.f1, learned.lost, pages)


def _learned(learn: Callable[[], _Learned], pages: str) -> _Learned:
    """What is learned, if that ends."""
    try:
        return within(SECONDS, learn)
    except Unending:
        raise Unending(
            f"{pages}: learning takes more than {SECONDS:g} seconds, or too much memory; take"
            " smaller pages of the site, or write the template: `gossamer template new URL`"
        ) from None


def _marked(page: trial.Page, lesson: Lesson) -> MarkedPage:
    wrong: dict[str, list[str]] = {}
    for said in lesson.wrong:
        field, _, text = said.partition("=")
        wrong.setdefault(field, []).append(text)
    return MarkedPage(page.url, page.html, lesson.values, wrong)


def _written(
    template: Template, file: Path, f1: dict[str, float], lost: list[str], pages: list[trial.Page]
) -> LearnedTemplate:
    template = _sortable(template)
    text = to_toml(template)
    read_template(text, str(file))  # what is written can be read
    file.write_text(text, "utf-8")
    preview = trial.try_template(template, pages, lambda url: trial.Page(url, ""))
    return LearnedTemplate(str(file), text, f1, lost, preview)


def _sortable(template: Template) -> Template:
    """A template whose numbers and dates are columns, but for names that are Gossamer's own."""
    fields = template.fields
    names = [n for n, rule in fields.items() if rule.type in ORDERED and n not in RESERVED]
    ordered = {n: msgspec.structs.replace(fields[n], sort=True) for n in names[:MOST_ORDERED]}
    return msgspec.structs.replace(template, fields=fields | ordered)


def to_text(learned: LearnedTemplate) -> str:
    """The template, how sure it is, and what it finds."""
    unsure = [f"{name}: found on some of the marked pages only ({f1:.0%})"
              for name, f1 in learned.f1.items() if f1 < 1]  # fmt: skip
    unsure += [
        f"{name}: left out, no selector finds half of its values; mark them as the pages show them"
        for name in learned.not_found
    ]
    parts = [learned.template, trial.to_text(learned.preview), "\n".join(unsure)]
    after = f"written to {learned.file}; `gossamer template add {learned.file}` uses it"
    return "\n\n".join([*(part.rstrip() for part in parts if part), after])


def _lessons(said: Sequence[tuple[str, str]]) -> list[Lesson]:
    lessons: list[Lesson] = []
    field = ""
    for kind, text in said:
        if kind == "URL":
            lessons.append(Lesson(text))
        elif not lessons:
            raise ConfigurationError(f"{text!r}: name its page before it, by --page URL")
        elif kind == "TEXT":
            lessons[-1].wrong.append(text if is_name(text.partition("=")[0]) and "=" in text
                                     else f"{field}={text}")  # fmt: skip
        else:
            field, value = _field_and_value(text)
            known = lessons[-1].values.setdefault(field, [])
            known += [value] if value else []
    return lessons


def _field_and_value(text: str) -> tuple[str, str]:
    field, equals, value = text.partition("=")
    if not equals or not is_name(field):
        raise ConfigurationError(f"{text!r}: write FIELD=TEXT, the field in small letters")
    return field, value.strip()


def _from_csv(file: Path) -> list[Lesson]:
    """A page for each row; several rows of a page are several values."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            rows = [row for row, _ in zip(csv.DictReader(lines), range(MAX_ROWS), strict=False)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigurationError(f"{file}: {error}") from error
    if not rows or "page" not in rows[0]:
        raise ConfigurationError(f"{file}: the first line names the columns, one of them `page`")
    lessons: dict[str, Lesson] = {}
    for row in rows:
        lesson = lessons.setdefault(row["page"], Lesson(row["page"]))
        for field, value in row.items():
            if field and field != "page":
                name, text = _field_and_value(f"{field}={value or ''}")
                known = lesson.values.setdefault(name, [])
                known += [text] if text and text not in known else []
    return list(lessons.values())
