"""How fast are queries, beside SQLite FTS5 and tantivy?

Nine kinds of queries on a small and on a large corpus, in one process per engine; all engines give
ten results with snippets. Misspelt words beside others are Gossamer's alone: its peers do not
correct them.
"""

import argparse

from scripts.bench.contenders import search_engines
from scripts.bench.contenders.search_engines import Answers
from scripts.bench.report import Claim, Report, Row, at_least, at_most
from scripts.bench.worlds import indexed_corpora, sample_queries
from scripts.bench.worlds.indexed_corpora import Indexed

LARGE, SMALL = 100_000, 10_000
MAX_P50, MAX_P99 = 5.0, 40.0  # ms, over all kinds of queries
MIN_BESIDE_FTS5 = 25.0  # times as fast
MAX_P50_RATIO, MAX_P99_RATIO = 2.5, 2.0  # beside tantivy
MIN_EQUAL_HITS = 0.9  # share of the queries of a kind with as many of ten results as a peer finds
MAX_MISSPELT_MS = 15.0  # p50
MAX_FIRST = 2.0  # a query that is asked for the first time, beside its second time
MAX_INDEXING_RATIO = 2.5
JUDGED_KIND = "two common"
# When the corpus grows tenfold.
MAX_INDEXING_GROWTH, MAX_QUERY_GROWTH = 10.0, 4.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--documents", type=int, default=LARGE, help="of the large corpus")
    parser.add_argument("--small", type=int, default=SMALL, help="documents of the small one")
    parser.add_argument("--per-kind", type=int, default=sample_queries.PER_KIND, help="queries")
    parser.add_argument("--reuse", action="store_true", help="take the indexes of an earlier run")
    parser.add_argument("--no-peers", action="store_true", help="only Gossamer")


def measure(settings: argparse.Namespace) -> Report:
    """Index both corpora, then run the same queries on every engine."""
    small = indexed_corpora.of_size(settings, settings.small)
    large = indexed_corpora.of_size(settings, settings.documents)
    asked = sample_queries.draw(large.corpus, settings.per_kind)
    ours, ours_small = search_engines.gossamer(large, asked), search_engines.gossamer(small, asked)
    misspelt = search_engines.gossamer(
        large, sample_queries.draw_misspelt(large.corpus, settings.per_kind)
    )
    peers: list[Answers] = []
    both_threads: list[Answers] = []
    if not settings.no_peers:
        peers.append(search_engines.fts5(large.corpus, asked, settings.cache))
        peers.append(search_engines.tantivy(large.corpus, asked, settings.cache))
        both_threads.append(
            search_engines.tantivy(large.corpus, asked[:1], settings.cache, threads=2)
        )
    kinds = list(dict.fromkeys(query.kind for query in asked))
    return Report(
        question="query",
        rows=[_row(kind, ours, ours_small, peers) for kind in ("", *kinds)],
        claims=[
            *_claims(ours, peers),
            at_most("misspelt, p50", MAX_MISSPELT_MS, misspelt.times().p50, unit=" ms"),
            *_fairness(ours, peers, kinds),
            *_indexing(large, [*peers, *both_threads]),
            *_growth(small, large, ours_small, ours),
        ],
        runs=[answers.record() for answers in (ours, ours_small, misspelt, *peers, *both_threads)],
        summary={"small": small.record(), "large": large.record(), "queries": len(asked)},
        notes=_notes(ours, misspelt, [*peers, *both_threads]),
    )


def _claims(ours: Answers, peers: list[Answers]) -> list[Claim]:
    times = ours.times()
    claims = [
        at_most("p50 of all", MAX_P50, times.p50, unit=" ms"),
        at_most("p99 of all", MAX_P99, times.p99, unit=" ms"),
    ]
    first = ours.cold_times().p50 / times.p50
    claims.append(at_most("first time beside warm, p50", MAX_FIRST, first, unit=" x"))
    for fts5, tantivy in [peers] if peers else []:
        ratio = fts5.cpu_times(JUDGED_KIND).p50 / ours.cpu_times(JUDGED_KIND).p50
        theirs = tantivy.times()
        claims += [
            at_least(f"{JUDGED_KIND}, p50: FTS5 takes", MIN_BESIDE_FTS5, ratio, unit=" x"),
            at_most("p50 beside tantivy", MAX_P50_RATIO, times.p50 / theirs.p50, unit=" x"),
            at_most("p99 beside tantivy", MAX_P99_RATIO, times.p99 / theirs.p99, unit=" x"),
        ]
    return claims


def _fairness(ours: Answers, peers: list[Answers], kinds: list[str]) -> list[Claim]:
    """A time is compared only if the peer finds what Gossamer finds."""
    return [
        at_least(
            f"{kind}: as many of ten results as {peer.engine}",
            MIN_EQUAL_HITS,
            ours.has_hits_like(peer, kind),
            ".0%",
        )
        for peer in peers
        for kind in kinds
    ]


def _indexing(large: Indexed, peers: list[Answers]) -> list[Claim]:
    """Compare wall-clock seconds. Gossamer uses two processes, FTS5 one thread."""
    return [
        at_most(
            f"indexing beside {_with_threads(peer)}",
            MAX_INDEXING_RATIO,
            large.seconds / peer.facts["seconds"],
            unit=" x",
        )
        for peer in peers
    ]


def _growth(small: Indexed, large: Indexed, few: Answers, many: Answers) -> list[Claim]:
    indexing = large.cpu_seconds / small.cpu_seconds
    asking = many.cpu_times().p50 / few.cpu_times().p50
    times = f"{large.corpus.documents / small.corpus.documents:g} x documents"
    return [
        at_most(f"{times}: indexing", MAX_INDEXING_GROWTH, indexing, unit=" x"),
        at_most(f"{times}: p50", MAX_QUERY_GROWTH, asking, unit=" x"),
    ]


def _row(kind: str, ours: Answers, small: Answers, peers: list[Answers]) -> Row:
    times, cold = ours.times(kind), ours.cold_times(kind)
    row = {
        "queries": kind or "all",
        "count": str(times.count),
        "p50 ms": f"{times.p50:.2f}",
        "p99 ms": f"{times.p99:.2f}",
        "first time p50": f"{cold.p50:.2f}",
        "p99": f"{cold.p99:.2f}",
        "CPU p50": f"{ours.cpu_times(kind).p50:.2f}",
        "small CPU p50": f"{small.cpu_times(kind).p50:.2f}",
    }
    for peer in peers:
        row[f"{peer.engine} p50"] = f"{peer.times(kind).p50:.2f}"
        row[f"{peer.engine} p99"] = f"{peer.times(kind).p99:.2f}"
    return row


def _with_threads(peer: Answers) -> str:
    threads = peer.facts.get("threads")
    return f"{peer.engine}, {threads} thread{'s' * (threads > 1)}" if threads else peer.engine


def _notes(ours: Answers, misspelt: Answers, peers: list[Answers]) -> list[str]:
    others = [
        f"{_with_threads(peer)} ({peer.facts['version']}): indexed in"
        f" {peer.facts['seconds']:.1f} s, {peer.facts['bytes'] / 1e6:.0f} MB with stored texts;"
        f" {peer.facts['without_results']} queries have no results"
        for peer in peers
    ]
    typos, cold = misspelt.times(), misspelt.cold_times()
    return [
        "ten results with snippets; p50 and p99: wall-clock, ratios: CPU time;"
        f" {ours.facts['without_results']} queries have no results",
        f"a misspelt word beside two common ones: p50 {typos.p50:.2f} ms, p99 {typos.p99:.2f} ms;"
        f" first time p50 {cold.p50:.2f} ms",
        *others,
    ]
