"""What may be typed after `gossamer`, and how is it explained?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer import __version__
from gossamer.core.crawl.job import JobConfig, RecrawlConfig, checked, read_job
from gossamer.core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Commands = Mapping[str, Callable[[argparse.Namespace], int]]

INTRODUCTION = """\
Gossamer crawls politely, keeps every page as WARC, and can say of every URL what became of it.

  gossamer run https://example.org/              crawl, index and open the search page
  gossamer crawl https://example.org/            only crawl; run it again to resume
  gossamer stats                                 what happened so far
  gossamer explain-url https://example.org/a     why is this page (not) there?
  gossamer export --what edges --format csv      who links to whom
  gossamer index && gossamer search spider silk  find it again
  gossamer rank                                  weigh pages by the links to them
  gossamer serve                                 the search page
  gossamer audit                                 prove from the WARC that the crawl was polite
  gossamer stats --stack gossamer-dev            the same of a crawl in AWS
"""

CRAWL = """\
Crawl from some URLs, by default staying on their hosts. The same command resumes a crawl that was
interrupted or killed; other limits continue a crawl that ended at one.
"""

RUN = """\
All in one: crawl, index what was crawled, and serve the search page until Ctrl-C. The page is there
from the beginning and shows how the crawl goes.
"""

CRAWL_EXAMPLES = """\
examples:
  gossamer crawl https://example.org/ --max-pages 500
  gossamer crawl example.org example.net --delay 2 --contact you@example.org
  gossamer crawl https://example.org/docs/ --prefix https://example.org/docs/ --depth 3
  gossamer crawl --config job.toml --json > result.json

A job file holds the same keys as the flags, with underscores:
  seeds = ["https://example.org/"]
  max_pages = 500
  delay = 1.0
  exclude = ["/tag/"]
  [scope]
  domains = ["example.org"]
"""

RECRAWL = """\
Once a crawl has ended: ask again for those of its pages that have probably changed, judged by what
earlier visits found. A page that has not changed costs one request; one that is missing twice
leaves the index. What is new is indexed at the end.
"""

RECRAWL_EXAMPLES = """\
examples:
  gossamer recrawl --dry-run
  gossamer recrawl --budget 5000                 every hour, from cron
  gossamer recrawl --target 0.9 --min-interval 600

A job file says the same in its table [recrawl]; docs/jobs.md explains each.
"""

AUDIT = """\
A certificate from the WARC files alone: what was asked, when, by whom, under which robots.txt and
delay; one line for each rule with the cases examined and the violations; the hosts, worst first;
and a digest that the same files give every time.
"""

AUDIT_EXAMPLES = """\
examples:
  gossamer audit
  gossamer audit --host example.org --json > certificate.json
  gossamer audit data/warc/web/*.warc.gz --hosts 50

Exit code: 0 no violation, 1 any violation, 2 a file that is damaged or not Gossamer's.
What each rule means, and what the files cannot prove: docs/politeness.md
"""

RANK = """\
PageRank from all links that are followed; who links to each page; and what other pages call it,
which is indexed with it. Run it when a crawl is indexed; `gossamer run` does.
"""

SEARCH = """\
Plain words are ranked: any of them, more is better. Signs make a query exact:
"""

SEARCH_EXAMPLES = """\
  a & b, a AND b, a b "c d"     all of them (a quoted phrase word by word)
  a | b, a OR b                 any of them
  !a, NOT a, -a                 without it
  exam*                         words that begin so
  title:word site:example.org url:docs lang:en

  gossamer search -- 'title:silk -moth'      "--" lets a query begin with a minus
"""

# What works on a deployed stack; the others say what to do instead.
ON_STACKS = frozenset(
    {"stats", "search", "explain-url", "export", "cost", "pause", "resume", "stop"}
    | {"redrive", "purge", "audit", "rank", "recrawl"}
)
STACK = "the CloudFormation stack to work on, instead of this machine"

# flag, key of the job, keyword arguments of argparse
LIMITS = (
    ("--max-pages", "max_pages", int, "fetch at most N pages", "N"),
    ("--max-documents", "max_documents", int, "keep at most N distinct documents", "N"),
    ("--depth", "max_depth", int, "follow links at most N steps away from the seeds", "N"),
    ("--max-seconds", "max_seconds", float, "stop after S seconds", "S"),
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
RECRAWLING = (
    ("--target", "target", "how likely a page shall be as we know it (0.7)", "P"),
    ("--min-interval", "min_interval", "leave a page alone for S seconds at least", "S"),
    ("--max-interval", "max_interval", "ask again after S seconds at the latest", "S"),
    ("--budget", "budget", "at most N visits a day", "N"),
)
LISTS = (
    ("--host", "hosts", "crawl this host (instead of those of the seeds)"),
    ("--domain", "domains", "crawl this domain and its subdomains"),
    ("--prefix", "prefixes", "crawl URLs that begin like this"),
    ("--include", "include", "crawl only URLs that match this pattern (RE2)"),
)


def parser(commands: Commands) -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="gossamer",
        description=INTRODUCTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"gossamer {__version__}")
    top.add_argument("--stack", metavar="NAME", help=STACK)
    sub = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    crawl = _command(sub, "crawl", "crawl some sites", commands, CRAWL, CRAWL_EXAMPLES)
    _add_crawl(crawl)
    run = _command(sub, "run", "crawl, index and serve the search page", commands, RUN)
    _add_crawl(run)
    run.add_argument("--port", type=int, default=8080, metavar="N", help="of the search page")
    run.add_argument("--no-serve", action="store_true", help="end when all is indexed")
    stats = _command(sub, "stats", "what happened so far, in numbers", commands)
    _add_job(stats)
    stats.add_argument(
        "--recount", action="store_true", help="of a stack: count all URLs anew (reads them all)"
    )
    explain = _command(sub, "explain-url", "what became of a URL, and why", commands)
    explain.add_argument("url", metavar="URL")
    _add_job(explain)
    export = _command(sub, "export", "URLs, documents or edges as a table", commands)
    export.add_argument("--what", choices=("urls", "documents", "edges"), default="urls")
    export.add_argument("--format", choices=("csv", "jsonl", "parquet"), default="csv")
    export.add_argument("--output", metavar="FILE", help="write there instead of to the terminal")
    _add_audit(sub, commands)
    _add_recrawl(sub, commands)
    _add_search_side(sub, commands)
    for name, text in (
        ("pause", "let a running crawl wait"),
        ("resume", "let a paused crawl go on"),
        ("stop", "end a crawl; what still waits is excluded as stopped"),
    ):
        _add_job(_command(sub, name, text, commands))
    _add_stack_side(sub, commands)
    return top


def _add_audit(sub: Any, commands: Commands) -> None:
    text = "prove from the WARC files that a crawl was polite"
    audit = _command(sub, "audit", text, commands, AUDIT, AUDIT_EXAMPLES)
    audit.add_argument("files", nargs="*", metavar="WARC", help="default: all of the collection")
    audit.add_argument("--host", default="", metavar="HOST", help="only requests to this host")
    audit.add_argument("--hosts", type=int, default=10, metavar="N", help="rows of the host table")


def _add_recrawl(sub: Any, commands: Commands) -> None:
    text = "ask again for pages that have probably changed"
    recrawl = _command(sub, "recrawl", text, commands, RECRAWL, RECRAWL_EXAMPLES)
    _add_job(recrawl)
    for flag, key, text, metavar in RECRAWLING:
        recrawl.add_argument(flag, dest=key, type=float, metavar=metavar, help=text)
    recrawl.add_argument("--dry-run", action="store_true", help="only say what would be asked for")
    recrawl.add_argument("--workers", type=int, metavar="N", help="parser processes")
    recrawl.add_argument("--quiet", action="store_true", help="no progress, only the result")


def recrawl_config(args: argparse.Namespace, config: RecrawlConfig) -> RecrawlConfig:
    """How a job is crawled again, with what flags say instead."""
    given = {key: getattr(args, key) for _, key, *_ in RECRAWLING}
    raw = _to_builtins(config) | {key: value for key, value in given.items() if value is not None}
    return checked({"recrawl": raw}, "command line").recrawl


def _add_stack_side(sub: Any, commands: Commands) -> None:
    cost = _command(sub, "cost", "what a crawl in AWS has cost so far (--stack)", commands)
    cost.add_argument(
        "--predict", type=int, default=0, metavar="N", help="also what N pages like these will cost"
    )
    redrive = _command(sub, "redrive", "send dead letters of a stack again (--stack)", commands)
    redrive.add_argument(
        "--drop-undecodable", action="store_true", help="forget those that nobody can read"
    )
    purge = _command(sub, "purge", "delete a collection of a stack for ever (--stack)", commands)
    purge.add_argument("--yes", action="store_true", help="it is meant")


def _add_search_side(sub: Any, commands: Commands) -> None:
    index = _command(sub, "index", "index what was crawled, or WARC files", commands)
    index.add_argument(
        "sources", nargs="*", metavar="WARC|FOLDER",
        help="WARC files, or folders with a corpus.jsonl (default: what was crawled)",
    )  # fmt: skip
    _command(sub, "compact", "merge the whole index into one part", commands)
    rank = _command(sub, "rank", "rank pages by the links to them", commands, RANK)
    rank.add_argument(
        "--damping", type=float, default=0.85, metavar="D", help="0 to 1: how far links are trusted"
    )
    rank.add_argument(
        "--internal", type=float, default=1.0, metavar="W",
        help="0 to 1: what a link inside of a host weighs beside one that leaves it",
    )  # fmt: skip
    rank.add_argument(
        "--ranks", default="", metavar="FOLDER",
        help="take the ranks that scripts/rank_spark.py wrote there",
    )  # fmt: skip
    search = _command(sub, "search", "search the collection", commands, SEARCH, SEARCH_EXAMPLES)
    search.add_argument("query", nargs="+", metavar="QUERY")
    search.add_argument("--limit", type=int, default=10, metavar="N", help="results per page")
    search.add_argument("--page", type=int, default=1, metavar="P", help="which page, from 1")
    search.add_argument("--explain", action="store_true", help="say why each result is there")
    search.add_argument("--all", action="store_true", help="show similar pages, too")
    search.add_argument("--profile", default="", metavar="NAME", help="bm25 (default) or tfidf")
    judge = _command(sub, "eval", "measure relevance on judged collections", commands)
    judge.add_argument("folders", nargs="+", metavar="FOLDER", help="in BEIR's layout")
    serve = _command(sub, "serve", "serve the search page and the API", commands)
    serve.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    serve.add_argument("--port", type=int, default=8080, metavar="N")


def _command(
    sub: Any,
    name: str,
    text: str,
    commands: Commands,
    description: str = "",
    epilog: str = "",
) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = sub.add_parser(
        name,
        help=text,
        description=description or text[0].upper() + text[1:] + ".",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.set_defaults(run=commands[name], run_name=name)
    made.add_argument(
        "--stack", metavar="NAME", default=argparse.SUPPRESS,  # what stood before the command stays
        help=STACK if name in ON_STACKS else argparse.SUPPRESS,
    )  # fmt: skip
    made.add_argument("--data", metavar="DIR", help="where everything is kept (default: data)")
    made.add_argument("--collection", metavar="NAME", help="which collection (default: web)")
    made.add_argument("--json", action="store_true", help="print one JSON object")
    return made


def _add_job(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--job", metavar="NAME", help="which job (default: crawl; of a stack: the latest)"
    )


def _add_crawl(crawl: argparse.ArgumentParser) -> None:
    _add_job(crawl)
    crawl.add_argument("seeds", nargs="*", metavar="URL", help="where to begin")
    add_job_flags(crawl)
    crawl.add_argument(
        "--refresh", action="store_true",
        help="once a crawl has ended: ask again for all its URLs, pages only if they changed",
    )  # fmt: skip
    crawl.add_argument("--workers", type=int, metavar="N", help="parser processes (default: cores)")
    crawl.add_argument("--quiet", action="store_true", help="no progress, only the result")


def add_job_flags(crawl: argparse.ArgumentParser) -> None:
    """The flags that describe a job; `job_config` reads them."""
    crawl.add_argument("--config", metavar="FILE", help="a job as TOML; flags override it")
    for flag, key, kind, text, metavar in LIMITS:
        crawl.add_argument(flag, dest=key, type=kind, metavar=metavar, help=text)
    for flag, key, text in LISTS:
        crawl.add_argument(flag, dest=key, action="append", metavar="X", help=text)
    crawl.add_argument("--exclude", action="append", metavar="X", help="skip URLs that match (RE2)")
    crawl.add_argument("--anywhere", action="store_true", help="follow links to any host")
    crawl.add_argument(
        "--no-follow", dest="follow", action="store_false", default=None,
        help="fetch only the given URLs",
    )  # fmt: skip
    crawl.add_argument(
        "--no-sitemaps", dest="sitemaps", action="store_false", default=None,
        help="read neither the sitemaps that robots.txt names nor the feeds of pages",
    )  # fmt: skip
    crawl.add_argument(
        "--allow-private", action="store_true", default=None,
        help="loopback and private addresses may be asked (tests, intranets)",
    )  # fmt: skip


def job_config(args: argparse.Namespace) -> JobConfig:
    """The job that a file and flags describe together."""
    config = described(args)
    if not config.seeds:
        raise ConfigurationError("nothing to crawl: give a URL, or seeds in a --config file")
    return config


def described(args: argparse.Namespace, base: JobConfig | None = None) -> JobConfig:
    """What a file, or a job as it is, becomes by flags."""
    raw: dict[str, Any] = _to_builtins(base) if base else {}
    origin = "command line"
    if args.config:
        origin = args.config
        raw = _to_builtins(read_job(_read(Path(args.config)), args.config))
    raw |= _flags(args)
    if scope := _scope_flags(args):
        raw["scope"] = raw.get("scope", {}) | scope
    if args.seeds:
        raw["seeds"] = [*raw.get("seeds", []), *args.seeds]
    return checked(raw, origin)


def describes_job(args: argparse.Namespace) -> bool:
    """Whether there is a file or any flag of a job."""
    return bool(args.config or _flags(args) or _scope_flags(args))


def _flags(args: argparse.Namespace) -> dict[str, Any]:
    keys = [key for _, key, *_ in LIMITS] + ["exclude", "follow", "sitemaps", "allow_private"]
    return {key: value for key in keys if (value := getattr(args, key)) is not None}


def _scope_flags(args: argparse.Namespace) -> dict[str, Any]:
    given = {key: value for _, key, _ in LISTS if (value := getattr(args, key)) is not None}
    return given | ({"anywhere": True} if args.anywhere else {})


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read {path}: {error}") from error


def _to_builtins(config: JobConfig | RecrawlConfig) -> dict[str, Any]:
    import msgspec

    built: dict[str, Any] = msgspec.to_builtins(config)
    return built
