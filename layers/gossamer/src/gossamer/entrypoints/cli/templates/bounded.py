"""Limits on templates and pages of strangers, while commands work on them: of time and of memory.

A crawl has its parser processes for that; a command works in a child that is ended.
"""

from __future__ import annotations

import math
import pickle
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from gossamer.adapters.child_process import answer_of_child
from gossamer.core.errors import ConfigurationError, Unending
from gossamer.core.page.templates.extraction import Record, extract

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gossamer.core.page.templates.template import Template

Result = TypeVar("Result")
PAGE_SECONDS = 10.0  # for a page and a template; a crawl allows nine of CPU
PART_CPU_SECONDS: Final = 1  # for one selector, when it is to be found out which one is too slow
PART_SECONDS: Final = 60.0  # until that CPU time is given up: the machine may be busy
_ADVICE: Final = "name elements by a class or an id there, as `.price`, without `//` in `[ ]`"


def within(seconds: float, work: Callable[[], Result], *, cpu_seconds: int | None = None) -> Result:
    """Return or raise what `work` does. Raises Unending if it takes longer, or too much memory.

    Its CPU time has a limit of its own if `cpu_seconds` says so, else that of the clock.
    """
    cpu_seconds = cpu_seconds or math.ceil(seconds)
    answer = answer_of_child(lambda: pickle.dumps(_attempt(work)), seconds, cpu_seconds)
    try:
        # Only our own child has written to this pipe.
        result = pickle.loads(answer)  # noqa: S301
    except (pickle.UnpicklingError, EOFError):
        raise Unending(f"it takes more than {seconds:g} seconds, or too much memory") from None
    if isinstance(result, Exception):
        raise result
    found: Result = result
    return found


def _attempt(work: Callable[[], Result]) -> Result | ConfigurationError:
    try:
        return work()
    except ConfigurationError as error:
        return error


def extract_within(template: Template, html: str, url: str) -> list[Record]:
    """The records of a page. Raises Unending, with the selector that takes so long."""
    try:
        return within(PAGE_SECONDS, lambda: extract(template, html, url))
    except Unending:
        slow = next(
            (part for part, variant in _parts(template) if _is_slow(variant, html, url)), ""
        )
        which = f"; {slow} is too slow: {_ADVICE}" if slow else ""
        raise Unending(
            f"{url}: template {template.name!r} takes more than {PAGE_SECONDS:g} seconds, or too"
            f" much memory, and a crawl would end it{which}"
        ) from None


def _parts(template: Template) -> Iterator[tuple[str, Template]]:
    """A template for each of its selectors, and how it is called."""
    bare = msgspec.structs.replace(template, fields={}, key="", title="", url="")
    if template.items:
        yield "`items`", bare
    for name, rule in template.fields.items():
        yield f"`fields.{name}`", msgspec.structs.replace(bare, fields={name: rule})


def _is_slow(template: Template, html: str, url: str) -> bool:
    try:
        within(
            PART_SECONDS,
            lambda: len(extract(template, html, url)),
            cpu_seconds=PART_CPU_SECONDS,
        )
    except Unending:
        return True
    except ConfigurationError:
        return False
    return False
