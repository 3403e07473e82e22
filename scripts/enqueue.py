"""Send URLs to a crawl in AWS: from arguments, files, standard input or a sitemap.

  python scripts/enqueue.py --stack gossamer-dev https://example.org/ --max-pages 500
  python scripts/enqueue.py --stack gossamer-dev -f urls.txt
  grep docs urls.txt | python scripts/enqueue.py --stack gossamer-dev -
  python scripts/enqueue.py --stack gossamer-dev --sitemap https://example.org/sitemap.xml

The first call starts the job; later ones add URLs or change limits. An invalid URL on the command
line is an error (exit 2); one in a file is listed in the report.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer.core.crawl.job import DEFAULT_JOB, JobConfig, seed_url
from gossamer.core.crawl.url_state import explain
from gossamer.core.errors import ConfigurationError, GossamerError
from gossamer.core.page.sitemap import MAX_SITEMAP_BYTES, parse_sitemap
from gossamer.entrypoints.api.cloud_services import CloudAdministration
from gossamer.entrypoints.cli import arguments
from gossamer.entrypoints.cli.command import DONE, FAILED, WRONG_USAGE, print_result
from gossamer.entrypoints.cli.stack.control import ENDED, reopen
from gossamer.entrypoints.cli.stack.home import open_stack
from gossamer.entrypoints.seeding import Refusal
from gossamer.homes import http_fetcher
from gossamer.ports.fetcher import HttpRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gossamer.adapters.aws.home import AwsHome
    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.entrypoints.seeding import SeedReport
    from gossamer.ports.fetcher import HttpResponse
    from gossamer.ports.jobs import JobRecord

SHOWN = 20  # refused URLs in the text; --json has them all
STDIN = "-"


class Enqueued(msgspec.Struct, kw_only=True):
    """What happened to the URLs, and the state of the job."""

    stack: str
    job: str
    state: str
    new: list[str]
    known: list[str]
    refused: list[Refusal]
    reopened: int = 0  # excluded by the old limits, waiting again under the new ones


def main(argv: Sequence[str] | None = None) -> int:
    """Send URLs to a stack."""
    args = _parser().parse_args(argv)
    try:
        done = enqueue(args)
    except ConfigurationError as error:
        return _complain(error, WRONG_USAGE)
    except GossamerError as error:
        return _complain(error, FAILED)
    print_result(args, done, to_text(done))
    return DONE


def _complain(error: GossamerError, code: int) -> int:
    print(f"enqueue: {error}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("urls", nargs="*", metavar="URL", help="a seed; - reads them from stdin")
    parser.add_argument("--stack", required=True, metavar="NAME", help="name of the stack")
    parser.add_argument("--job", default=DEFAULT_JOB, metavar="NAME", help="default: %(default)s")
    parser.add_argument("--collection", metavar="NAME", help="default: the stack's")
    parser.add_argument(
        "-f", "--file", action="append", default=[], metavar="FILE", help="URLs, one per line"
    )
    parser.add_argument(
        "--sitemap", action="append", default=[], metavar="URL|FILE", help="all URLs in it"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments.add_job_flags(parser)
    parser.set_defaults(seeds=[])
    return parser


def enqueue(args: argparse.Namespace) -> Enqueued:
    """Read the URLs and send the new ones."""
    urls = [seed_url(url) for url in args.urls if url != STDIN]  # fail early if one is invalid
    urls += _lines(args)
    stack = open_stack(args.stack, args.collection)
    try:
        return _enqueue(args, urls, stack)
    finally:
        stack.home.close()


def _enqueue(args: argparse.Namespace, urls: list[str], stack: Stack) -> Enqueued:
    home, before = stack.home, stack.home.jobs.get(args.job)
    config = _config(args, stack, before)
    urls += _in_sitemaps(args.sitemap, config or (before.config if before else JobConfig()))
    if not urls and not (config and (config.seeds or before)):
        raise ConfigurationError("nothing to enqueue: give URLs, -f FILE, - or --sitemap")
    report = CloudAdministration(home, stack.deployment.contact).seed(args.job, urls, config)
    return _reported(stack, report, _reopened(home, before))


def _config(args: argparse.Namespace, stack: Stack, before: JobRecord | None) -> JobConfig | None:
    """The job's configuration after the flags; None if they change nothing."""
    if before is not None and not arguments.describes_job(args):
        return None
    config = arguments.described(args, before.config if before else None)
    if config.contact:
        return config
    return msgspec.structs.replace(config, contact=stack.deployment.contact)


def _reopened(home: AwsHome, before: JobRecord | None) -> int:
    """Restart an ended job; requeue URLs that the new rules admit."""
    record = home.jobs.get(before.job) if before else None
    if before is None or record is None:
        return 0
    if before.state not in ENDED and record.config == before.config:
        return 0
    if record.state in ENDED:  # first: SCHEDULE drops messages of ended jobs
        home.jobs.set_state(record.job, "running")
    return reopen(home, record, time.time())


def _reported(stack: Stack, report: SeedReport, reopened: int) -> Enqueued:
    record = stack.home.jobs.get(report.job)
    return Enqueued(
        stack=stack.deployment.stack,
        job=report.job,
        state=record.state if record else "unknown",
        new=report.new,
        known=report.known,
        refused=report.refused,
        reopened=reopened,
    )


def _lines(args: argparse.Namespace) -> Iterator[str]:
    """The URLs in files and on standard input, without empty lines and comments."""
    for name in args.file:
        yield from _stripped(_read(name).decode(errors="replace").splitlines())
    if STDIN in args.urls:
        yield from _stripped(sys.stdin)


def _stripped(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        text = line.strip()
        if text and not text.startswith("#"):
            yield text


def _read(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"cannot read {name}: {error.strerror}") from error


def _in_sitemaps(names: Sequence[str], config: JobConfig) -> Iterator[str]:
    for name in names:
        body = asyncio.run(_download(name, config)) if "://" in name else _read(name)
        found = parse_sitemap(body, name)
        if not found.urls and found.children:
            raise ConfigurationError(
                f"{name} is an index of {len(found.children)} sitemaps;"
                f" give one of them, such as {found.children[0]}"
            )
        if not found.urls:
            raise ConfigurationError(f"{name} is not a sitemap: it has no URLs")
        yield from found.urls


async def _download(url: str, config: JobConfig) -> bytes:
    """Download with the job's user agent and the address guard."""
    fetcher = http_fetcher(config)
    try:
        response = await fetcher.fetch(
            HttpRequest(url=seed_url(url), start_by=math.inf, max_bytes=MAX_SITEMAP_BYTES)
        )
    finally:
        await fetcher.close()
    if response.fault or response.code != 200:
        raise ConfigurationError(f"sitemap {url} cannot be read: {_why(response)}")
    return response.body


def _why(response: HttpResponse) -> str:
    if response.fault:
        return explain(response.fault)
    target = response.header("location")
    moved = f", which leads to {target}" if target else ""
    return f"the server answered with code {response.code}{moved}"


def to_text(done: Enqueued) -> str:
    """The report as text."""
    lines = [
        f"{len(done.new):,} new, {len(done.known):,} already known, {len(done.refused):,} refused;"
        f" job {done.job!r} of {done.stack} is {done.state}"
    ]
    if done.reopened:
        lines.append(f"{done.reopened:,} URLs that were excluded before wait again")
    lines += [f"  refused: {one.url}: {one.reason}" for one in done.refused[:SHOWN]]
    if len(done.refused) > SHOWN:
        lines.append(f"  and {len(done.refused) - SHOWN:,} more, all with --json")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
