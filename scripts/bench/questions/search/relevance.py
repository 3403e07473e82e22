"""How good are the results on judged collections?"""

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.bench.machine.processes import require
from scripts.bench.report import Claim, Report, Row, at_least

Scores = Mapping[str, float]  # by measure

NDCG, MAP = "ndcg@10", "map"
MIN_BESIDE_PEER = 0.97


@dataclass(frozen=True, slots=True)
class Peer:
    """The best scores of bm25s, tantivy and Lucene on a collection (docs/relevance.md)."""

    ndcg: float
    map: float


BEST = {
    "cranfield": Peer(0.3879, 0.3102),
    "cisi": Peer(0.3941, 0.2215),
    "cacm": Peer(0.5274, 0.3800),
    "med": Peer(0.7038, 0.5337),
}
MIN_MEAN = Peer(0.503, 0.361)  # of these four together


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--collections",
        nargs="+",
        type=Path,
        default=[],
        metavar="FOLDER",
        help="in BEIR's layout: corpus.jsonl, queries.jsonl, qrels.tsv; default: none",
    )


def measure(settings: argparse.Namespace) -> Report:
    """Evaluate every collection with the default settings."""
    folders: list[Path] = settings.collections
    found = {folder.name: _evaluate(folder, settings) for folder in folders}
    rows = [_row(name, scores) for name, scores in found.items()]
    if len(found) > 1:
        rows.append(_row("mean", _mean(found)))
    return Report(
        question="relevance",
        rows=rows,
        claims=[claim for name in found for claim in _beside_peer(name, found[name])]
        + (_of_mean(_mean(found)) if found.keys() == BEST.keys() else []),
        runs=[{"collection": name, **scores} for name, scores in found.items()],
        summary={"mean": _mean(found)} if found else {},
        notes=[] if found else ["skipped: no --collections given"],
    )


def _evaluate(folder: Path, settings: argparse.Namespace) -> Scores:
    command = [settings.gossamer, "eval", "--json", folder.resolve()]
    scores: Scores = json.loads(require(command, limit=settings.limit))
    return scores


def _mean(found: Mapping[str, Scores]) -> dict[str, float]:
    measures = next(iter(found.values()))
    return {
        measure: round(sum(scores[measure] for scores in found.values()) / len(found), 4)
        for measure in measures
    }


def _beside_peer(name: str, scores: Scores) -> list[Claim]:
    peer = BEST.get(name)
    if peer is None:
        return []
    return [
        at_least(f"{name}: nDCG@10", MIN_BESIDE_PEER * peer.ndcg, scores[NDCG], ".4f"),
        at_least(f"{name}: MAP", MIN_BESIDE_PEER * peer.map, scores[MAP], ".4f"),
    ]


def _of_mean(mean: Scores) -> list[Claim]:
    return [
        at_least("mean nDCG@10", MIN_MEAN.ndcg, mean[NDCG], ".4f"),
        at_least("mean MAP", MIN_MEAN.map, mean[MAP], ".4f"),
    ]


def _row(name: str, scores: Scores) -> Row:
    peer = BEST.get(name)
    best: dict[str, Any] = {
        "best peer nDCG@10": f"{peer.ndcg:.4f}" if peer else "-",
        "best peer MAP": f"{peer.map:.4f}" if peer else "-",
    }
    return {"collection": name} | {key: f"{value:g}" for key, value in scores.items()} | best
