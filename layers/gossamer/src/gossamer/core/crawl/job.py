"""The configuration of a job: what is crawled, how far and how politely.

A job is written as flags or as a TOML file; both end in one `JobConfig`, checked key by key.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

import msgspec

from gossamer.core.crawl.scope import PICTURES, SKIP_EXTENSIONS, Scope
from gossamer.core.crawl.traps import Count, TrapConfig
from gossamer.core.errors import ConfigurationError
from gossamer.core.toml import parse_toml
from gossamer.core.urls import UrlRules, host_of, hostname_of, normalise, with_scheme

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gossamer.core.page.templates.template import Template

DEFAULT_JOB = "crawl"  # the job that commands, the API and scripts mean if none is named
MAX_NUMBER = 2**53 - 1  # what every store and every JSON reader keeps
Seconds = Annotated[float, msgspec.Meta(ge=0, le=86_400)]
Interval = Annotated[float, msgspec.Meta(ge=0, le=10 * 365 * 86_400)]


class ScopeConfig(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """Which URLs belong to the job. With no host, domain or prefix: the hosts of the seeds."""

    hosts: list[str] = []
    domains: list[str] = []
    prefixes: list[str] = []
    include: list[str] = []
    anywhere: bool = False  # follow links to any host
    skip_extensions: list[str] | None = None  # None = pictures, archives, styles and the like


class RecrawlConfig(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """How fresh pages are kept, and what that may cost (core/revisit/policy.py)."""

    target: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.7  # how likely a page is as we know it
    min_interval: Interval = 3600.0
    max_interval: Interval = 60 * 86_400.0
    budget: Annotated[float, msgspec.Meta(gt=0)] | None = None  # visits a day; None = no limit


class JobConfig(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """One crawl into a collection: all settings of a job, with their defaults."""

    seeds: list[str] = []
    scope: ScopeConfig = ScopeConfig()
    exclude: list[str] = []
    traps: TrapConfig = TrapConfig()
    recrawl: RecrawlConfig = RecrawlConfig()
    max_pages: Count | None = None
    max_documents: Count | None = None
    max_depth: Annotated[int, msgspec.Meta(ge=0)] | None = None
    max_seconds: Annotated[float, msgspec.Meta(gt=0)] | None = None
    max_usd: Annotated[float, msgspec.Meta(gt=0)] | None = None  # of AWS's bill; in a stack only
    max_bytes: Count = 10_000_000  # of one page, decompressed
    max_links: Count = 20_000  # of one page
    retries: Annotated[int, msgspec.Meta(ge=0, le=10)] = 3
    retry_wait: Seconds = 5.0  # before the first retry; each later one waits four times longer
    delay: Seconds = 1.0  # at least this long between two requests to a host
    max_delay: Seconds = 60.0  # a longer Crawl-delay is cut to this
    concurrency: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 32
    user_agent: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] = "Gossamer"
    contact: Annotated[str, msgspec.Meta(max_length=200)] = ""
    sitemaps: bool = True
    follow: bool = True  # false: fetch only what is given
    link_scope: str = ""  # XPath of the part of a page whose links count
    extractor: Annotated[str, msgspec.Meta(pattern="^(fast|article|auto)$")] = "auto"
    media: bool = False  # pictures, sound and video as documents of their own
    pictures: bool = False  # the pictures that documents name are fetched and kept
    sort_parameters: bool = False
    allow_private: bool = False  # loopback and private addresses may be asked

    def identity(self) -> str:
        """The User-Agent header: name, version and contact."""
        name = self.user_agent if "/" in self.user_agent else f"{self.user_agent}/0.1"
        return f"{name} (+{self.contact})" if self.contact else name


TABLES: dict[str, type[msgspec.Struct]] = {
    "scope": ScopeConfig,
    "traps": TrapConfig,
    "recrawl": RecrawlConfig,
}


@dataclass(frozen=True)
class Rules:
    """The rules that follow from a job's configuration, computed once per process."""

    config: JobConfig
    templates: tuple[Template, ...] = ()  # of the collection

    def template_for(self, url: str) -> Template | None:
        """The template of a page; None for most pages."""
        if not self.templates:
            return None
        from gossamer.core.page.templates.matching import template_for

        return template_for(url, self.templates)

    @cached_property
    def urls(self) -> UrlRules:
        """How URLs are normalised."""
        return UrlRules(sort_parameters=self.config.sort_parameters)

    @cached_property
    def scope(self) -> Scope:
        """Which URLs belong."""
        given, config = self.config.scope, self.config
        limited = bool(given.hosts or given.domains or given.prefixes or given.anywhere)
        seeds = normalised_seeds(config)
        around = _with_twins(Scope.around(seeds).hosts) if seeds and not limited else ()
        skip = given.skip_extensions
        usual = SKIP_EXTENSIONS - PICTURES if self.config.pictures else SKIP_EXTENSIONS
        return Scope(
            hosts=tuple(name.lower() for name in given.hosts) + around,
            domains=tuple(name.lower() for name in given.domains),
            prefixes=tuple(given.prefixes),
            include=tuple(given.include),
            exclude=tuple(config.exclude),
            max_depth=config.max_depth,
            skip_extensions=usual if skip is None else frozenset(skip),
        )

    def names(self, url: str) -> bool:
        """Whether a person named the host of a normalised URL: as a seed, or in the scope."""
        return host_of(url) in self._named or hostname_of(url) in self._named

    @cached_property
    def _named(self) -> frozenset[str]:
        seeds = {host_of(seed) for seed in normalised_seeds(self.config)}
        return frozenset(_with_twins((*sorted(seeds | self.scope.named),)))


def _with_twins(hosts: tuple[str, ...]) -> tuple[str, ...]:
    """Both names of a site, with and without www: one of them often redirects to the other."""
    twins = [h.removeprefix("www.") if h.startswith("www.") else f"www.{h}" for h in hosts]
    names = [twin for twin in twins if not twin.rpartition(".")[2].split(":")[0].isdigit()]
    return tuple(dict.fromkeys([*hosts, *(name for name in names if "[" not in name)]))


def admitting(config: JobConfig, urls: Iterable[str]) -> JobConfig:
    """The configuration with the hosts of further seeds in its scope.

    Hosts, not the seeds themselves: a job is read with every message and must stay small. A job
    that says where it may go is left as it is.
    """
    scope = config.scope
    if scope.domains or scope.prefixes or scope.anywhere:
        return config
    given = Rules(config).scope.hosts
    hosts = [*given, *_with_twins(tuple(dict.fromkeys(map(host_of, urls))))]
    wider = msgspec.structs.replace(scope, hosts=list(dict.fromkeys(hosts)))
    return msgspec.structs.replace(config, seeds=[], scope=wider)


def normalised_seeds(config: JobConfig) -> list[str]:
    """The seeds as URLs; a malformed one is a ConfigurationError."""
    return [seed_url(seed, allow_private=config.allow_private) for seed in config.seeds]


def seed_url(seed: str, *, allow_private: bool = False) -> str:
    """Return the URL of a seed as a person types it: the scheme may be left out.

    Hosts without a dot are names in a private network, so they need `allow_private`.
    """
    text = seed.strip()
    url = normalise(text if text.startswith(("/", ".")) else with_scheme(text))
    if url is None:
        raise ConfigurationError(
            f"seed {seed!r} is not a web address; write it like https://example.org/"
        )
    if not allow_private and not _has_public_host(url):
        raise ConfigurationError(
            f"seed {seed!r} names a host without a dot; write it like https://example.org/,"
            " or use --allow-private (allow_private = true) for hosts of a private network"
        )
    return url


def _has_public_host(url: str) -> bool:
    host = hostname_of(url)
    return "." in host or host == "localhost" or host.startswith("[")


def read_job(text: str, origin: str) -> JobConfig:
    """A job from the text of a TOML file; one line per mistake, saying where it is."""
    try:
        raw = parse_toml(text)
    except (ValueError, RecursionError) as error:  # also for numbers of 5,000 digits, and [[[[…
        raise ConfigurationError(f"{origin}: not TOML: {error}") from error
    return checked(raw, origin)


def checked(raw: dict[str, object], origin: str) -> JobConfig:
    """The configuration in `raw`, or a ConfigurationError that names every mistake."""
    mistakes = [*_unknown_keys(raw, origin), *_wrong_values(raw, origin)]
    if mistakes:
        raise ConfigurationError("\n".join(mistakes))
    config = msgspec.convert(raw, JobConfig)
    try:  # a seed, pattern, prefix or XPath that cannot be used is reported here
        normalised_seeds(config)
        _ = Rules(config).scope
        _check_link_scope(config)
        _check_identity(config)
    except ConfigurationError as error:
        raise ConfigurationError(f"{origin}: {error}") from error
    return config


def _check_link_scope(config: JobConfig) -> None:
    if config.link_scope:
        from gossamer.core.page.xpath import compile_scope  # lxml, which only such jobs need

        compile_scope(config.link_scope)


def _check_identity(config: JobConfig) -> None:
    """Both become part of a header, where a line break would begin another one."""
    for name, text in (("user_agent", config.user_agent), ("contact", config.contact)):
        if not text.isprintable():
            raise ConfigurationError(f"{name}: {text!r} has control characters")


def _unknown_keys(raw: dict[str, object], origin: str) -> Iterable[str]:
    tables: tuple[tuple[str, object, type[msgspec.Struct]], ...] = (
        ("", raw, JobConfig),
        *((f"{name}.", raw.get(name), kind) for name, kind in TABLES.items()),
    )
    for prefix, table, kind in tables:
        if not isinstance(table, dict):
            continue
        known = [field.encode_name for field in msgspec.structs.fields(kind)]
        for key in table:
            if key not in known:
                yield f"{origin}: unknown key {prefix + key!r}{_did_you_mean(key, known)}"


def _did_you_mean(key: str, known: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(key, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; known keys: {', '.join(known)}"


def _wrong_values(raw: dict[str, object], origin: str) -> Iterable[str]:
    for field in msgspec.structs.fields(JobConfig):
        key = field.encode_name
        if key not in raw:
            continue
        value = raw[key]
        if isinstance(value, dict):  # unknown keys inside are reported on their own
            known = (
                {f.encode_name for f in msgspec.structs.fields(TABLES[key])}
                if key in TABLES
                else set(value)
            )
            value = {name: inner for name, inner in value.items() if name in known}
        try:
            msgspec.convert(value, field.type)
        except msgspec.ValidationError as error:
            where = str(error).replace("`$", f"`{key}").replace(" - at ", ", in ")
            yield f"{origin}: {key}: {where}"
        if any(number > MAX_NUMBER for number in _numbers(value)):
            yield f"{origin}: {key}: no number may exceed {MAX_NUMBER:,}"


def _numbers(value: object) -> Iterator[int]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _numbers(inner)
    elif isinstance(value, int):
        yield value
