"""The command `gossamer eval`: measure relevance on judged collections."""

from __future__ import annotations

import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from gossamer import homes
from gossamer.core.errors import ConfigurationError, QueryError
from gossamer.core.search.metrics import mean_quality, parse_entry, parse_qrels_line
from gossamer.entrypoints.cli.command import DONE, cause, print_result
from gossamer.entrypoints.cli.indexing.index import add_beir
from gossamer.entrypoints.local.index_workers import index_all
from gossamer.settings import Settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from gossamer.search.searcher import Searcher

Line = TypeVar("Line")
DEPTH = 1000  # results per query: average precision looks at all of them


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which collections."""
    parser.add_argument(
        "folders",
        nargs="+",
        metavar="FOLDER",
        help="in BEIR's layout: corpus.jsonl, queries.jsonl, qrels/test.tsv or qrels.tsv",
    )


def run(args: argparse.Namespace) -> int:
    """Print how good the answers are."""
    results = {Path(name).name: evaluate_folder(Path(name)) for name in args.folders}
    only = next(iter(results.values())) if len(results) == 1 else results
    names = list(next(iter(results.values())))
    lines = [f"{'':16}" + "".join(f"{name:>20}" for name in names)]
    for folder, scores in results.items():
        lines.append(f"{folder:16}" + "".join(f"{scores[name]:20.4f}" for name in names))
    print_result(args, only, "\n".join(lines))
    return DONE


def evaluate_folder(folder: Path) -> dict[str, float]:
    """Index a collection in BEIR's layout in a temporary place, ask its queries, and score."""
    judged = read_judgements(folder)
    queries = {id: text for id, text in read_queries(folder).items() if id in judged}
    with (
        tempfile.TemporaryDirectory(prefix="gossamer-eval-") as place,
        closing(homes.open_home(settings := Settings(data=place))) as home,
    ):
        add_beir(home, folder)
        index_all(home, settings)
        began = time.perf_counter()
        searcher = homes.searcher(home)
        found = {id: _ranking(searcher, text) for id, text in queries.items()}
        seconds = time.perf_counter() - began
    scores = mean_quality(found, judged)[0].by_name()
    return {name: round(score, 4) for name, score in scores.items()} | {
        "queries": len(queries),
        "queries_per_second": round(len(queries) / seconds, 1),
    }


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
