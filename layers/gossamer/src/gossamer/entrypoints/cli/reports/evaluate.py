"""The command `gossamer eval`: measure relevance on judged collections."""

from __future__ import annotations

import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from gossamer import homes
from gossamer.core.collection import CollectionSettings
from gossamer.core.errors import ConfigurationError, QueryError
from gossamer.core.search.metrics import mean_quality, parse_entry, parse_qrels_line
from gossamer.entrypoints.cli.command import DONE, cause, print_result
from gossamer.entrypoints.cli.indexing.index import add_beir
from gossamer.entrypoints.cli.reports.compare import compare, comparison_text
from gossamer.entrypoints.cli.settings import read_file
from gossamer.entrypoints.local.index_workers import index_all
from gossamer.settings import Settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from gossamer.ports.home import Home
    from gossamer.search.searcher import Searcher

Line = TypeVar("Line")
DEPTH = 1000  # results per query: average precision looks at all of them


EXAMPLES = """\
examples:
  gossamer eval cranfield                                   by the default settings
  gossamer eval cranfield --ranking                         the ranking of all words alone
  gossamer eval cranfield --compare a.toml b.toml           by two settings: is b.toml better?

Queries are answered as `gossamer search` answers them, with all that it does: operators are read,
spellings corrected, similar pages shown as one.

A line of corpus.jsonl may have an object "metadata": its numbers and texts are values of the
document, which columns of the settings, and so a formula, can read.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which collections, by which settings."""
    parser.epilog = EXAMPLES
    parser.add_argument(
        "folders",
        nargs="+",
        metavar="FOLDER",
        help="in BEIR's layout: corpus.jsonl, queries.jsonl, qrels/test.tsv or qrels.tsv",
    )
    parser.add_argument(
        "--compare", nargs=2, metavar=("A.toml", "B.toml"),
        help="measure two settings side by side, query by query",
    )  # fmt: skip
    parser.add_argument(
        "--ranking", action="store_true",
        help="rank the documents by all words of a query, whatever signs stand between them, and"
        " do not answer it as `search` does",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Print how good the answers are."""
    if args.compare:
        return _compare(args)
    folders = [Path(name).resolve() for name in args.folders]  # "." has no name
    results = {folder.name: evaluate_folder(folder, by_ranking=args.ranking) for folder in folders}
    only = next(iter(results.values())) if len(results) == 1 else results
    names = list(next(iter(results.values())))
    lines = [f"{'':16}" + "".join(f"{name:>20}" for name in names)]
    for folder, scores in results.items():
        lines.append(f"{folder:16}" + "".join(f"{scores[name]:20.4f}" for name in names))
    print_result(args, only, "\n".join(lines))
    return DONE


def _compare(args: argparse.Namespace) -> int:
    names = args.compare[0], args.compare[1]
    first, second = map(read_file, names)
    results, texts = {}, []
    for name in args.folders:
        folder = Path(name).resolve()
        judged, queries = _judged(folder)
        found = rankings(folder, queries, first), rankings(folder, queries, second)
        results[folder.name] = compare(names, found, judged, queries)
        texts.append(comparison_text(folder.name, results[folder.name]))
    only = next(iter(results.values())) if len(results) == 1 else results
    print_result(args, only, "\n\n".join(texts))
    return DONE


def _judged(folder: Path) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """The judgements of a collection, and the queries that have some."""
    judged = read_judgements(folder)
    return judged, {id: text for id, text in read_queries(folder).items() if id in judged}


def rankings(
    folder: Path, queries: dict[str, str], settings: CollectionSettings
) -> dict[str, list[str]]:
    """The answers to queries by some settings."""
    with _indexed(folder, settings) as home:
        searcher = homes.searcher(home)
        return {id: _answers(searcher, text) for id, text in queries.items()}


@contextmanager
def _indexed(folder: Path, wanted: CollectionSettings) -> Iterator[Home]:
    """A collection in BEIR's layout, indexed in a temporary place."""
    with (
        tempfile.TemporaryDirectory(prefix="gossamer-eval-") as place,
        closing(homes.open_home(settings := Settings(data=place))) as home,
    ):
        home.settings.put(msgspec.structs.replace(wanted, version=1))
        add_beir(home, folder)
        index_all(home, settings)
        yield home


def evaluate_folder(folder: Path, *, by_ranking: bool = False) -> dict[str, float]:
    """Index a collection in BEIR's layout in a temporary place, ask its queries, and score.

    With `by_ranking` documents are ranked by all words, instead of answering as `search` does.
    """
    answer = _ranking if by_ranking else _answers
    judged, queries = _judged(folder)
    with _indexed(folder, CollectionSettings()) as home:
        began = time.perf_counter()
        searcher = homes.searcher(home)
        found = {id: answer(searcher, text) for id, text in queries.items()}
        seconds = time.perf_counter() - began
    scores = mean_quality(found, judged)[0].by_name()
    return {name: round(score, 4) for name, score in scores.items()} | {
        "queries": len(queries),
        "queries_per_second": round(len(queries) / seconds, 1),
    }


def _answers(searcher: Searcher, text: str) -> list[str]:
    try:
        hits = searcher.search(text, limit=DEPTH, snippets=False).hits
    except QueryError:
        return []
    return [hit.url.removeprefix("beir:") for hit in hits]


def _ranking(searcher: Searcher, text: str) -> list[str]:
    try:
        return [url.removeprefix("beir:") for url in searcher.ranking(text, DEPTH)]
    except QueryError:
        return []


def read_queries(folder: Path) -> dict[str, str]:
    """The queries of a collection by id."""
    entries = _parsed(folder / "queries.jsonl", parse_entry)
    return {entry.id: entry.text for entry in entries}


def read_judgements(folder: Path) -> dict[str, dict[str, float]]:
    """Per query, which documents are relevant and how much."""
    judged: dict[str, dict[str, float]] = {}
    beir = folder / "qrels" / "test.tsv"  # as BEIR itself has it
    path = beir if beir.is_file() else folder / "qrels.tsv"
    for entry in _parsed(path, parse_qrels_line):
        if entry is not None:
            judged.setdefault(entry.query, {})[entry.document] = entry.grade
    return judged


def _parsed(path: Path, parse: Callable[[str], Line]) -> list[Line]:
    try:
        with path.open(encoding="utf-8") as lines:
            return [parse(line) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"cannot read {path}: {cause(error)}") from error
