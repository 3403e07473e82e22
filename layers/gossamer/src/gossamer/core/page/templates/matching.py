"""Which template a page belongs to: URL patterns, the most specific first.

A pattern is a URL in which `*` stands for any characters, also for none: `https://a.test/c/*`.
Without a scheme it is meant with either. `re:` leads a regular expression (RE2) for the whole URL.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import re2

from gossamer.core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.page.templates.template import Template

_BY_EXPRESSION = "re:"
_read_host = re.compile(r"((?:[a-zA-Z][a-zA-Z0-9+.-]*://)?[^/]*)(.*)", re.DOTALL).fullmatch
# What of a regular expression stands for itself, about.
_NO_LITERALS = re.compile(r"\\[A-Za-z]|\[(?:\\.|[^\]])*\]|\{[^}]*\}|\\|[().*+?|^$]|\?[:P<>!=]")


def template_for(url: str, templates: Iterable[Template]) -> Template | None:
    """The template whose pattern matches a URL and says most; of equal ones the first by name."""
    best: tuple[int, Template] | None = None
    for template in sorted(templates, key=lambda each: each.name):
        says = max((specificity(each) for each in template.match if matches(each, url)), default=-1)
        if says >= 0 and (best is None or says > best[0]):
            best = says, template
    return best[1] if best else None


def matches(pattern: str, url: str) -> bool:
    """Whether a pattern is that of a URL."""
    return compile_pattern(pattern).fullmatch(url.encode("utf-8", "replace")) is not None


@lru_cache(maxsize=4096)
def specificity(pattern: str) -> int:
    """How many characters of a URL a pattern says."""
    if pattern.startswith(_BY_EXPRESSION):
        return len(_NO_LITERALS.sub("", pattern.removeprefix(_BY_EXPRESSION)))
    return len(pattern.replace("*", ""))


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> Any:
    """A pattern ready for use. Raises ConfigurationError for what is none."""
    if pattern.startswith(_BY_EXPRESSION):
        return compile_expression(pattern.removeprefix(_BY_EXPRESSION))
    if not pattern.removeprefix("https://").removeprefix("http://").strip("*:/ "):
        raise ConfigurationError(f"{pattern!r} matches every page; name a host at least")
    return compile_expression(_as_expression(pattern))


def _as_expression(pattern: str) -> str:
    """A URL with stars as a regular expression; the host is written small in all URLs."""
    found = _read_host(pattern)
    host, rest = (found[1].lower(), found[2]) if found else (pattern, "")
    scheme = "" if "://" in host else "https?://"
    return scheme + ".*".join(map(re2.escape, f"{host}{rest}".split("*")))


@lru_cache(maxsize=4096)
def compile_expression(expression: str) -> Any:
    """A regular expression of RE2: linear time. Raises ConfigurationError for what is none."""
    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True
    try:
        return re2.compile(expression, options)
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0]
        said = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(error)
        raise ConfigurationError(f"pattern {expression!r} is not usable: {said}") from error
