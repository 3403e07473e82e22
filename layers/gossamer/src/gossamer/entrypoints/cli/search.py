"""The commands that index, search and serve. Apart from the others: a crawl needs no numpy."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.batch.compact import compact
from gossamer.core.errors import ConfigurationError, QueryError
from gossamer.core.index.impacts import WEIGHTS
from gossamer.entrypoints.cli import arguments
from gossamer.entrypoints.cli.command import DONE, FAILED, WRONG_USAGE, print_result, settings_of
from gossamer.entrypoints.cli.evaluate import evaluate_folder
from gossamer.entrypoints.cli.index import add_beir, add_warc, index_pending
from gossamer.entrypoints.cli.rank import rank_home, to_report
from gossamer.entrypoints.lambdas.rank import Weighing
from gossamer.entrypoints.local.report import size, summary

if TYPE_CHECKING:
    import argparse

    from gossamer.adapters.local.home import LocalHome
    from gossamer.core.search.result import Explanation, SearchResponse
    from gossamer.settings import Settings

BOLD, FAINT, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def index_documents(args: argparse.Namespace) -> int:
    """Index what was crawled, or the given WARC files or folders."""
    home = homes.open_local(settings_of(args))
    try:
        home.store.lock("index")
        added = sum(_add(home, Path(name)) for name in args.sources)
        began = time.perf_counter()
        tell = _quiet if args.json or not sys.stderr.isatty() else _tell
        indexed = index_pending(home, homes.analyzer_of(home.index), WEIGHTS, tell)
        seconds = time.perf_counter() - began
        result = {
            "added": added,
            "indexed": indexed,
            "documents": len(home.index.live()),
            "seconds": round(seconds, 3),
            "index_bytes": home.index.size(),
        }
    finally:
        home.close()
    text = (
        f"{indexed:,} documents indexed in {seconds:.1f} s; the index holds"
        f" {result['documents']:,} in {size(float(result['index_bytes']))}"
    )
    print_result(args, result, text)
    return DONE


def _add(home: LocalHome, path: Path) -> int:
    if path.is_dir():
        return add_beir(home, path)
    if not path.is_file():
        raise ConfigurationError(f"cannot index {path}: no such file or folder")
    return add_warc(home, path)


def _quiet(_done: int) -> None:
    """Tell nothing."""


def _tell(done: int) -> None:
    print(f"\r{done:,} documents indexed", end="", file=sys.stderr, flush=True)


def compact_index(args: argparse.Namespace) -> int:
    """Merge the whole index into one generation."""
    home = homes.open_local(settings_of(args))
    try:
        home.store.lock("compact")
        before = home.index.size()
        changed = compact(home.index, whole=True)
        home.store.commit()
        after = home.index.size()
    finally:
        home.close()
    text = f"{size(before)} became {size(after)}" if changed else "nothing to compact"
    print_result(args, {"changed": changed, "bytes_before": before, "bytes_after": after}, text)
    return DONE


def search(args: argparse.Namespace) -> int:
    """Print a page of results."""
    return search_in(homes.open_local(settings_of(args), read_only=True), args)


def search_in(home: homes.Indexed, args: argparse.Namespace) -> int:
    """Print a page of results from either home."""
    query = " ".join(args.query)
    if args.page < 1 or not 1 <= args.limit <= 1000:
        raise ConfigurationError("--page begins at 1, and --limit goes from 1 to 1000")
    try:
        found = homes.searcher(home).search(
            query,
            page=args.page,
            limit=args.limit,
            explain=args.explain,
            profile=args.profile,
            similar="all" if args.all else "one",
        )
    except QueryError as error:
        return _point_at(query, error)
    print_result(args, found, _listing(found, sys.stdout.isatty()))
    return DONE


def _point_at(query: str, error: QueryError) -> int:
    print(f"gossamer: {error.message}", file=sys.stderr)
    print(f"  {query}\n  {' ' * error.position}^", file=sys.stderr)
    return WRONG_USAGE


def _listing(found: SearchResponse, colours: bool) -> str:
    bold, faint, plain = (BOLD, FAINT, PLAIN) if colours else ("", "", "")
    lines = [f"{found.total:,} results in {found.took_ms:.1f} ms"]
    for hit in found.hits:
        pieces = [(_harmless(piece.text), piece.hit) for piece in hit.highlights]
        words = "".join(f"{bold}{text}{plain}" if found else text for text, found in pieces)
        title = _harmless(hit.title)
        lines += ["", f"{hit.rank}. {bold}{title}{plain}", f"   {faint}{hit.url}{plain}"]
        lines.append(f"   {' '.join(words.split())}")
        if hit.similar:
            lines.append(f"   {faint}{_similar(hit.similar)}{plain}")
        if hit.explain is not None:
            lines += _reasons(hit.explain)
    return "\n".join(lines)


def _similar(count: int) -> str:
    return f"{count:,} similar page{'s' if count > 1 else ''}"


def _harmless(text: str) -> str:
    """Without what a terminal would obey: pages are written by strangers."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _reasons(why: Explanation) -> list[str]:
    lines = [f"   score {why.score:.4f} by {why.profile}:"]
    for term in why.terms:
        fields = ", ".join(f"{part.field} ×{part.frequency}" for part in term.fields)
        lines.append(
            f"     {term.score:8.4f}  {term.term} (in {term.df:,} documents, idf {term.idf:.3f},"
            f" weight {term.weight:.3f}; {fields})"
        )
    if why.rank:
        lines.append(f"     {why.rank_score:8.4f}  PageRank ({why.rank:.3f} of 1)")
    if why.similar:
        verb = "are" if why.similar > 1 else "is"
        lines.append(f"   {_similar(why.similar)} {verb} not shown; --all shows every one")
    return lines


def evaluate(args: argparse.Namespace) -> int:
    """Print how good the answers are on judged collections."""
    results = {Path(name).name: evaluate_folder(Path(name)) for name in args.folders}
    only = next(iter(results.values())) if len(results) == 1 else results
    names = list(next(iter(results.values())))
    lines = [f"{'':16}" + "".join(f"{name:>20}" for name in names)]
    for folder, scores in results.items():
        lines.append(f"{folder:16}" + "".join(f"{scores[name]:20.4f}" for name in names))
    print_result(args, only, "\n".join(lines))
    return DONE


def run(args: argparse.Namespace) -> int:
    """Crawl, index, rank and serve: the page is there from the first moment, with the crawl."""
    from gossamer.entrypoints.cli.main import crawl_job  # which imports us, when it is asked to

    arguments.job_config(args)  # a mistake is heard before anything is made
    settings = settings_of(args)
    homes.open_local(settings).close()
    server = None if args.no_serve else _serve_beside(settings, args.port)
    try:
        result = crawl_job(args)
        print_result(args, result, summary(result))
        if result.state == "interrupted":
            return DONE
        _index_all(settings)
        if server is not None and server.poll() is None:
            print(f"\nSearch at http://127.0.0.1:{args.port}/ (Ctrl-C ends it)", flush=True)
            server.wait()
    except KeyboardInterrupt:
        pass
    finally:
        if server is not None:
            server.terminate()
            server.wait()
    return DONE


def _serve_beside(settings: Settings, port: int) -> subprocess.Popen[bytes]:
    """The server is a process of its own: a crawl's parsers are forked, and threads forbid that."""
    command = [sys.executable, "-m", "gossamer.entrypoints.cli.main", "serve"]
    where = ["--data", settings.data, "--collection", settings.collection, "--port", str(port)]
    return subprocess.Popen([*command, *where])  # noqa: S603 our own program


def _index_all(settings: Settings) -> None:
    home = homes.open_local(settings)
    try:
        home.store.lock("index")
        began = time.perf_counter()
        count = index_pending(home, homes.analyzer_of(home.index), WEIGHTS)
        seconds = time.perf_counter() - began
        documents = len(home.index.live())
        ranked = rank_home(home, Weighing())
    finally:
        home.close()
    print(f"\n{count:,} documents indexed in {seconds:.1f} s; {documents:,} can be searched.")
    print(to_report(ranked))


def serve(args: argparse.Namespace) -> int:
    """Serve the search page and the API until Ctrl-C."""
    settings = settings_of(args)
    homes.open_local(settings, read_only=True).close()  # must exist
    os.environ["GOSSAMER_DATA"] = settings.data
    os.environ["GOSSAMER_COLLECTION"] = settings.collection
    from gossamer.entrypoints.api.routes import app
    from gossamer.entrypoints.api.server import serve as run

    def ready(address: str) -> None:
        print(f"Search at {address} (Ctrl-C ends it)", file=sys.stderr, flush=True)

    try:
        run(app, args.host, args.port, ready)
    except OSError as error:
        print(f"gossamer: cannot serve on port {args.port}: {error}", file=sys.stderr)
        return FAILED
    return DONE
