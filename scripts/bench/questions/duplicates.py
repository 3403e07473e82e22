"""Are near-duplicate texts found, and only those?

A generated set of edited copies, unrelated texts and texts in a common template. A pair is similar
if its exact resemblance (shared shingles) is 0.9 or more. Each method names the similar pairs.
"""

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from gossamer.core.near_duplicates import hashing
from gossamer.core.near_duplicates.hashing import (
    MAX_DISTANCE,
    SIMILAR,
    WIDTH,
    bands,
    distance,
    keys,
    resemblance,
)
from scripts.bench.machine.environments import interpreter, run_json
from scripts.bench.machine.progress import log
from scripts.bench.report import Report, Row, at_least, at_most
from scripts.bench.worlds import edited_copies
from scripts.bench.worlds.edited_copies import Text

ORIGINALS = 2000
EDGES = (0.80, 0.85, 0.90, 0.92, 0.95, 0.98, 1.0)
LEAST_RECALL, LEAST_PRECISION = 0.95, 0.98
MOST_US = 1000.0  # for a text of LONGEST words
TIMES = 30
PERMUTATIONS = 128  # datasketch's own default
LOWER = 0.8  # a threshold for datasketch that misses less
ROWS_AT_ONCE = 256
OURS = f"keys, {MAX_DISTANCE} bits, counted"
WORD_SHARES = (0.01, 0.02, 0.05, 0.10)  # of words substituted
PROBES = 200  # texts for each

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Known:
    """The texts, their hashes, and the exact resemblance of related pairs."""

    texts: Sequence[Text]
    shingles: Sequence[hashing.Shingles]
    values: Sequence[int | None]
    related: dict[Pair, float]  # exact, for copies and for pages of one template

    def resemblance(self, pair: Pair) -> float:
        """Exact resemblance of a pair, computed once."""
        if pair not in self.related:
            a, b = pair
            self.related[pair] = resemblance(self.shingles[a], self.shingles[b])
        return self.related[pair]


@dataclass(frozen=True, slots=True)
class Found:
    """The pairs that one method found, and the time per text to hash and to find."""

    method: str
    pairs: set[Pair]
    hash_us: float
    find_us: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--originals", type=int, default=ORIGINALS)
    parser.add_argument("--no-peer", action="store_true", help="without datasketch")


def measure(settings: argparse.Namespace) -> Report:
    """Generate the texts and run every method."""
    known = know(list(edited_copies.texts(settings.originals)))
    log(f"{len(known.texts):,} texts, {len(known.related):,} related pairs")
    hash_us = _hash_us(known)
    found = [_timed(name, known, find, hash_us) for name, find in METHODS.items()]
    if not settings.no_peer:
        found += _datasketch(known, settings.cache)
    rows = [_row(one, known) for one in found]
    longest = _longest_us()
    ours = next(one for one in found if one.method == OURS)
    recall, precision = quality(ours.pairs, known)
    return Report(
        question="duplicates",
        rows=rows,
        claims=[
            at_least("recall of similar pairs", LEAST_RECALL, recall, ".4f"),
            at_least("precision", LEAST_PRECISION, precision, ".4f"),
            at_most(f"µs for {edited_copies.LONGEST} words, all hashes", MOST_US, longest, ".0f"),
        ],
        runs=[{**row, **_by_edit(one.pairs, known)} for row, one in zip(rows, found, strict=True)],
        summary={"texts": len(known.texts), "longest_us": round(longest)},
        notes=[_edit_note(ours.pairs, known), *map(_word_note, WORD_SHARES)],
    )


def know(texts: Sequence[Text]) -> Known:
    """Compute the resemblance of all copies and of all pages of one template."""
    shingles = [hashing.shingles(text.words) for text in texts]
    groups: dict[object, list[int]] = defaultdict(list)
    for number, text in enumerate(texts):
        groups[text.family].append(number)
        if text.template is not None:
            groups["template", text.template].append(number)
    pairs = {pair for group in groups.values() for pair in combinations(group, 2)}
    related = {(a, b): resemblance(shingles[a], shingles[b]) for a, b in sorted(pairs)}
    return Known(texts, shingles, [hashing.simhash(each) for each in shingles], related)


def quality(pairs: set[Pair], known: Known, least: float = SIMILAR) -> tuple[float, float]:
    """Recall of similar pairs, and precision: the share of found pairs above `least`."""
    similar = {pair for pair, found in known.related.items() if found >= SIMILAR}
    right = sum(known.resemblance(pair) >= least for pair in pairs)
    return len(similar & pairs) / len(similar), right / max(1, len(pairs))


def by_bands(known: Known, parts_for: int, most: int) -> set[Pair]:
    """Pairs that share a band of their SimHash and differ in few bits."""
    parts = [bands(value, parts_for) if value is not None else () for value in known.values]
    return {(a, b) for a, b in _sharing(parts) if _distance(known, a, b) <= most}


def by_keys(known: Known, most: int = hashing.BITS) -> set[Pair]:
    """Pairs that share a key, differ in few bits, and whose exact resemblance is high enough."""
    found = _find_by_keys(known)
    near = [(a, b) for a, b in found if _distance(known, a, b) <= most]
    return {(a, b) for a, b in near if hashing.are_similar(known.shingles[a], known.shingles[b])}


def _distance(known: Known, a: int, b: int) -> int:
    one, other = known.values[a], known.values[b]
    return hashing.BITS if one is None or other is None else distance(one, other)


def _sharing(keys_of: Sequence[Iterable[bytes]]) -> set[Pair]:
    buckets: dict[bytes, list[int]] = defaultdict(list)
    for number, own in enumerate(keys_of):
        for key in own:
            buckets[key].append(number)
    return {pair for bucket in buckets.values() for pair in combinations(bucket, 2)}


def _within(known: Known, most: int) -> set[Pair]:
    """All pairs whose SimHashes differ in few bits; compares every pair."""
    numbers = [number for number, value in enumerate(known.values) if value is not None]
    values = np.array([known.values[number] for number in numbers], np.uint64)
    found: set[Pair] = set()
    for at in range(0, len(values), ROWS_AT_ONCE):
        bits = np.bitwise_count(values[at : at + ROWS_AT_ONCE, None] ^ values[None, at:])
        for a, b in np.argwhere(bits <= most).tolist():
            if a < b:
                found.add((numbers[at + a], numbers[at + b]))
    return found


def _hash_us(known: Known) -> float:
    """Microseconds to hash a text, from its words."""
    began = time.process_time()
    for text in known.texts:
        _hashed(hashing.shingles(text.words))
    return 1e6 * (time.process_time() - began) / len(known.texts)


def _timed(name: str, known: Known, find: Callable[[Known], set[Pair]], hash_us: float) -> Found:
    began = time.process_time()
    pairs = find(known)
    find_us = 1e6 * (time.process_time() - began) / len(known.texts)
    log(f"{name}: {len(pairs):,} pairs")
    return Found(name, pairs, hash_us, find_us)


def _hashed(each: hashing.Shingles) -> tuple[int | None, tuple[bytes, ...]]:
    return hashing.simhash(each), keys(each)


def _find_by_keys(known: Known) -> set[Pair]:
    return _sharing([keys(each) for each in known.shingles])


METHODS: dict[str, Callable[[Known], set[Pair]]] = {
    OURS: lambda known: by_keys(known, MAX_DISTANCE),
    "keys, counted": by_keys,
    "keys alone": _find_by_keys,
    "4 bands, 3 bits": lambda known: by_bands(known, 3, 3),
    f"4 bands, {MAX_DISTANCE} bits": lambda known: by_bands(known, 3, MAX_DISTANCE),
    "all within 3 bits": lambda known: _within(known, 3),
    f"all within {MAX_DISTANCE} bits": lambda known: _within(known, MAX_DISTANCE),
}


def _row(found: Found, known: Known) -> Row:
    recall, precision = quality(found.pairs, known)
    lenient = quality(found.pairs, known, least=0.8)[1]
    copied = sum(known.texts[a].family == known.texts[b].family for a, b in found.pairs)
    columns = {
        "method": found.method,
        "recall": f"{recall:.3f}",
        "precision": f"{precision:.3f}",
        "of 0.8 or more": f"{lenient:.3f}",
        "copies": f"{copied / max(1, len(found.pairs)):.3f}",
        "hash µs": f"{found.hash_us:.0f}",
        "find µs": f"{found.find_us:.0f}",
    }
    for low, high in pairwise(EDGES):
        # The last includes equal texts.
        top = high if high < 1 else 1.01
        there = {pair for pair, value in known.related.items() if low <= value < top}
        columns[f"{low:.2f}"] = f"{len(there & found.pairs) / max(1, len(there)):.3f}"
    return columns


def _by_edit(pairs: set[Pair], known: Known) -> dict[str, Any]:
    """The recall of copies with their originals, by the kind of edit."""
    hits: dict[str, list[bool]] = defaultdict(list)
    for (a, b), value in known.related.items():
        one, other = known.texts[a], known.texts[b]
        if value >= SIMILAR and one.family == other.family and not one.edit:
            hits[other.edit].append((a, b) in pairs)
    return {"by_edit": {edit: round(float(np.mean(hit)), 4) for edit, hit in sorted(hits.items())}}


def _edit_note(pairs: set[Pair], known: Known) -> str:
    by_edit = _by_edit(pairs, known)["by_edit"]
    return f"{OURS}: " + ", ".join(f"{edit} {recall:.3f}" for edit, recall in by_edit.items())


def _word_note(share: float) -> str:
    """Resemblance after a share of the words was substituted."""
    chance = Random(1)
    originals = [text.words for text in edited_copies.texts(PROBES) if not text.edit]
    substitutes = [word for words in originals for word in words]
    values = []
    for words in originals:
        new = [chance.choice(substitutes) if chance.random() < share else word for word in words]
        values.append(resemblance(hashing.shingles(words), hashing.shingles(new)))
    similar = sum(value >= SIMILAR for value in values) / len(values)
    middle = float(np.median(values))
    return f"{share:.0%} of words substituted: resemblance {middle:.2f}, similar {similar:.0%}"


def _longest_us() -> float:
    """Microseconds to hash the longest text, the best of several."""
    text = max(edited_copies.texts(50), key=lambda text: len(text.words))
    words = (text.words * (edited_copies.LONGEST // len(text.words) + 1))[: edited_copies.LONGEST]
    shuffled: npt.NDArray[np.str_] = np.random.default_rng(1).permutation(words)
    joined = " ".join(shuffled.tolist())
    times = []
    for _ in range(TIMES):
        began = time.process_time()
        _hashed(hashing.shingles(joined))
        times.append(1e6 * (time.process_time() - began))
    return min(times)


def _datasketch(known: Known, cache: Path) -> list[Found]:
    """MinHashLSH at our threshold, at a lower one, and the latter with exact comparison."""
    with tempfile.TemporaryDirectory(dir=cache, prefix="run-") as folder:
        file = Path(folder) / "texts.json"
        file.write_text(json.dumps([text.words for text in known.texts]), encoding="utf-8")
        task = {"texts": str(file), "width": WIDTH, "permutations": PERMUTATIONS}
        python = interpreter(cache, "duplicate-peers", "datasketch")
        task["thresholds"] = [SIMILAR, LOWER]
        said = run_json([python, "-m", "scripts.bench.contenders.duplicates_datasketch"], task)
    methods = []
    for one in said["found"]:
        name = f"datasketch {one['threshold']}, {one['keys']} keys"
        pairs = {(a, b) for a, b in one["pairs"]}
        methods.append(Found(name, pairs, said["hash_us"], one["find_us"]))
    last = methods[-1]
    similar = {pair for pair in last.pairs if known.resemblance(pair) >= SIMILAR}
    return [*methods, Found("the same, counted", similar, last.hash_us, last.find_us)]
