"""Do signs of ordinary text change the answers to judged queries?"""

import argparse
import random
from collections.abc import Mapping
from pathlib import Path

from gossamer.core.collection import CollectionSettings
from gossamer.core.search.metrics import mean_quality
from gossamer.entrypoints.cli.reports.evaluate import rankings, read_judgements, read_queries
from scripts.bench.questions.search import relevance
from scripts.bench.report import Claim, Report, Row, at_least, at_most

SEED = 26
TOP = 10
MIN_SAME_SHARE = 0.99  # of queries whose top ten stays with brackets and a dash in them
MAX_LOSS = 0.005  # of nDCG@10, with quotes around two neighbouring words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    relevance.add_arguments(parser)


def measure(settings: argparse.Namespace) -> Report:
    """Ask each collection's queries as they are, with brackets and a dash, and with quotes."""
    folders: list[Path] = settings.collections
    found = {folder.name: _compare(folder) for folder in folders}
    return Report(
        question="typed",
        rows=[_row(name, scores) for name, scores in found.items()],
        claims=[claim for name, scores in found.items() for claim in _claims(name, scores)],
        runs=[{"collection": name, **scores} for name, scores in found.items()],
        summary=dict(found),
        notes=[] if found else ["skipped: no --collections given"],
    )


def _compare(folder: Path) -> dict[str, float]:
    judged, rng = read_judgements(folder), random.Random(SEED)
    queries = {
        id: text.split()
        for id, text in read_queries(folder).items()
        if id in judged and len(text.split()) > 2
    }
    typed = {("plain", id): " ".join(words) for id, words in queries.items()}
    typed |= {("signs", id): with_signs(words, rng) for id, words in queries.items()}
    typed |= {("quotes", id): with_quotes(words, rng) for id, words in queries.items()}
    asked = {f"{kind} {id}": text for (kind, id), text in typed.items()}
    answers = rankings(folder, asked, CollectionSettings())

    def quality(kind: str) -> float:
        kept = {id: answers[f"{kind} {id}"] for id in queries}
        by_name = mean_quality(kept, {id: judged[id] for id in queries})[0].by_name()
        return round(by_name["ndcg@10"], 4)

    same = [answers[f"plain {id}"][:TOP] == answers[f"signs {id}"][:TOP] for id in queries]
    return {
        "queries": len(queries),
        "plain": quality("plain"),
        "quoted": quality("quotes"),
        "same": round(sum(same) / len(same), 4),
    }


def with_signs(words: list[str], rng: random.Random) -> str:
    """Return a query with one pair of brackets and one dash at random places between words."""
    typed = list(words)
    first = rng.randrange(len(words))
    last = rng.randrange(first, len(words))
    typed[first] = "(" + typed[first]
    typed[last] += ")"
    typed.insert(rng.randrange(len(words) + 1), "-")
    return " ".join(typed)


def with_quotes(words: list[str], rng: random.Random) -> str:
    """Return a query with quotes around two neighbouring words."""
    at = rng.randrange(len(words) - 1)
    return " ".join([*words[:at], f'"{words[at]} {words[at + 1]}"', *words[at + 2 :]])


def _claims(name: str, scores: Mapping[str, float]) -> list[Claim]:
    loss = max(0.0, scores["plain"] - scores["quoted"])
    return [
        at_least(f"{name}: same top ten with brackets", MIN_SAME_SHARE, scores["same"], ".4f"),
        at_most(f"{name}: nDCG@10 lost by quotes", MAX_LOSS, loss, ".4f"),
    ]


def _row(name: str, scores: Mapping[str, float]) -> Row:
    return {"collection": name} | {key: f"{value:g}" for key, value in scores.items()}
