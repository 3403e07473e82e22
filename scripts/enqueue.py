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
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.core.crawl.job import DEFAULT_JOB, seed_url
from gossamer.core.crawl.url_state import explain
from gossamer.core.errors import ConfigurationError, GossamerError
from gossamer.core.page.sitemap import MAX_SITEMAP_BYTES, parse_sitemap
from gossamer.entrypoints.cli import job_flags
from gossamer.entrypoints.cli.command import DONE, FAILED, WRONG_USAGE, print_result
from gossamer.entrypoints.cli.stack.home import open_stack
from gossamer.entrypoints.cli.stack.seed import Seeded, seed_stack, to_text
from gossamer.homes import http_fetcher
from gossamer.ports.fetcher import HttpRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gossamer.core.crawl.job import JobConfig
    from gossamer.ports.fetcher import HttpResponse

STDIN = "-"


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
    job_flags.add_job_flags(parser)
    return parser


def enqueue(args: argparse.Namespace) -> Seeded:
    """Read the URLs and send the new ones."""
    urls = [seed_url(url) for url in args.urls if url != STDIN]  # fail early if one is invalid
    lines = list(_lines(args))
    stack = open_stack(args.stack, args.collection)
    try:
        return seed_stack(
            stack, args, urls, lambda config: [*lines, *_in_sitemaps(args.sitemap, config)]
        )
    finally:
        stack.home.close()


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


if __name__ == "__main__":
    sys.exit(main())
