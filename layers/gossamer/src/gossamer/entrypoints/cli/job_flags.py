"""The flags that describe a job, and the job that they describe together with a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer.core.crawl.job import DEFAULT_JOB, JobConfig, checked, read_job
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.cli.command import cause

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

# flag, key of the job, keyword arguments of argparse
LIMITS = (
    ("--max-pages", "max_pages", int, "fetch at most N pages", "N"),
    ("--max-documents", "max_documents", int, "keep at most N distinct pages with documents", "N"),
    ("--depth", "max_depth", int, "follow links at most N steps away from the seeds", "N"),
    ("--max-seconds", "max_seconds", float, "stop after S seconds", "S"),
    ("--max-usd", "max_usd", float, "of a stack: pause when the job has cost USD", "USD"),
    ("--delay", "delay", float, "at least S seconds between two requests to a host", "S"),
    ("--max-delay", "max_delay", float, "cut a longer Crawl-delay of robots.txt to S", "S"),
    ("--retries", "retries", int, "try a URL again N times after a passing failure", "N"),
    ("--retry-wait", "retry_wait", float, "seconds before the first retry, then ×4", "S"),
    ("--concurrency", "concurrency", int, "requests under way at once, over all hosts", "N"),
    ("--max-bytes", "max_bytes", int, "skip pages larger than N bytes", "N"),
    ("--user-agent", "user_agent", str, "the name to crawl under", "NAME"),
    ("--contact", "contact", str, "a URL or address where owners of sites can reach you", "WHO"),
    ("--link-scope", "link_scope", str, "XPath of the part of a page whose links count", "XPATH"),
)
LISTS = (
    ("--host", "hosts", "crawl this host (instead of those of the seeds)"),
    ("--domain", "domains", "crawl this domain and its subdomains"),
    ("--prefix", "prefixes", "crawl URLs that begin like this"),
    ("--include", "include", "crawl only URLs that match this pattern (RE2)"),
)


def add_job(parser: argparse.ArgumentParser) -> None:
    """The flag that names a job."""
    parser.add_argument(
        "--job", metavar="NAME", help=f"which job (default: {DEFAULT_JOB}; of a stack: the latest)"
    )


def job_name(args: argparse.Namespace) -> str:
    """The job that is meant, where it does not depend on what a stack has."""
    return DEFAULT_JOB if args.job is None else str(args.job)


def add_crawl_flags(parser: argparse.ArgumentParser) -> None:
    """Seeds, the flags of a job, and how it is run on this machine."""
    parser.add_argument("--job", metavar="NAME", help=f"which job (default: {DEFAULT_JOB})")
    parser.add_argument("seeds", nargs="*", metavar="URL", help="where to begin")
    add_job_flags(parser)
    parser.add_argument(
        "--refresh", action="store_true",
        help="once a crawl has ended: ask again for all its URLs, pages only if they changed",
    )  # fmt: skip
    parser.add_argument(
        "--workers", type=int, metavar="N", help="parser processes (default: one per core)"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress, only the result")


def add_job_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that describe a job; `job_config` reads them."""
    parser.add_argument("--config", metavar="FILE", help="a job as TOML; flags override it")
    for flag, key, kind, text, metavar in LIMITS:
        parser.add_argument(flag, dest=key, type=kind, metavar=metavar, help=text)
    for flag, key, text in LISTS:
        parser.add_argument(flag, dest=key, action="append", metavar="X", help=text)
    parser.add_argument(
        "--exclude", action="append", metavar="X", help="skip URLs that match this (RE2)"
    )
    parser.add_argument("--anywhere", action="store_true", help="follow links to any host")
    parser.add_argument(
        "--no-follow", dest="follow", action="store_false", default=None,
        help="fetch only the given URLs",
    )  # fmt: skip
    parser.add_argument(
        "--no-sitemaps", dest="sitemaps", action="store_false", default=None,
        help="read neither the sitemaps that robots.txt names nor the feeds of pages",
    )  # fmt: skip
    parser.add_argument(
        "--media", action="store_true", default=None,
        help="index pictures, sound and video, by what pages say of them",
    )  # fmt: skip
    parser.add_argument(
        "--pictures", action="store_true", default=None,
        help="fetch the pictures that documents name, to show them with results",
    )  # fmt: skip
    parser.add_argument(
        "--allow-private", action="store_true", default=None,
        help="loopback and private addresses may be asked (tests, intranets)",
    )  # fmt: skip


def job_config(
    args: argparse.Namespace, stored: Callable[[], JobConfig | None] = lambda: None
) -> JobConfig:
    """The job that a file and flags describe together; without both, the stored one."""
    base = None if args.seeds or args.config else stored()
    config = described(args, base, seeds=args.seeds)
    if not config.seeds:
        raise ConfigurationError("nothing to crawl: give a URL, or seeds in a --config file")
    return config


def described(
    args: argparse.Namespace, base: JobConfig | None = None, seeds: Sequence[str] = ()
) -> JobConfig:
    """A file, or a job as it is, changed by flags."""
    origin, start = "command line", base or JobConfig()
    if args.config:
        origin, start = args.config, read_job(_read(Path(args.config)), args.config)
    raw: dict[str, object] = {
        **msgspec.to_builtins(start),
        **_flags(args),
        "scope": msgspec.to_builtins(start.scope) | _scope_flags(args),
        "seeds": [*start.seeds, *seeds],
    }
    return checked(raw, origin)


def refuse_money(args: argparse.Namespace) -> None:
    """A limit of money is for a stack."""
    if getattr(args, "max_usd", None) is not None:
        raise ConfigurationError(
            "--max-usd is for a stack in AWS (--stack NAME); a crawl on this machine costs nothing"
            " there: --max-pages and --max-seconds limit it"
        )


def describes_job(args: argparse.Namespace) -> bool:
    """Whether there is a file or any flag of a job."""
    return bool(args.config or _flags(args) or _scope_flags(args))


def _flags(args: argparse.Namespace) -> dict[str, object]:
    keys = [key for _, key, *_ in LIMITS]
    keys += ["exclude", "follow", "sitemaps", "media", "pictures", "allow_private"]
    return {key: value for key in keys if (value := getattr(args, key)) is not None}


def _scope_flags(args: argparse.Namespace) -> dict[str, object]:
    given = {key: value for _, key, _ in LISTS if (value := getattr(args, key)) is not None}
    return given | ({"anywhere": True} if args.anywhere else {})


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read {path}: {cause(error)}") from error
