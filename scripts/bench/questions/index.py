"""How fast are documents indexed, and how large is the index?"""

import argparse
from statistics import median

from scripts.bench.report import Claim, Report, Row
from scripts.bench.worlds import corpora, debian_sites, indexed_corpora
from scripts.bench.worlds.indexed_corpora import Indexed

DOCUMENTS = 100_000
MIN_RATE = 250.0  # documents/s on one core
MAX_SHARE = 0.30  # of the text, with positions and without stored documents
MAX_PEAK_MB = 500.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    debian_sites.add_sites(parser)
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="of the synthetic corpus")
    parser.add_argument("--repeat", type=int, default=3, help="of the sites")


def measure(settings: argparse.Namespace) -> Report:
    """Index every site `repeat` times, and the synthetic corpus once."""
    real = [_of_site(name, settings) for name in settings.sites]
    large = indexed_corpora.of_size(settings, settings.documents)
    medians = [_median(found) for found in real]
    return Report(
        question="index",
        rows=[_row(found) for found in (*medians, large)],
        claims=[claim for found in medians for claim in _claims(found)] + [_memory(large)],
        runs=[found.record() for repeated in (*real, [large]) for found in repeated],
        summary={found.corpus.name: found.record() for found in (*medians, large)},
        notes=[
            "from stored documents to a compacted index, without the start of the process; seconds:"
            " wall-clock on all cores; documents/s/core by CPU time; text: body, titles, headings,"
            " images; index/text: without the stored documents"
        ],
    )


def _of_site(name: str, settings: argparse.Namespace) -> list[Indexed]:
    corpus = corpora.real(settings, name)
    found = []
    for _ in range(settings.repeat):
        with indexed_corpora.temporary(corpus, settings) as once:
            found.append(once)
    return found


def _median(found: list[Indexed]) -> Indexed:
    middle = median(run.cpu_seconds for run in found)
    return min(found, key=lambda run: abs(run.cpu_seconds - middle))


def _claims(found: Indexed) -> list[Claim]:
    name, rate, share = found.corpus.name, found.rate, found.share
    return [
        Claim(f"{name}: documents/s/core", f">= {MIN_RATE:g}", f"{rate:.0f}", rate >= MIN_RATE),
        Claim(
            f"{name}: index beside text", f"<= {MAX_SHARE:.0%}", f"{share:.1%}", share <= MAX_SHARE
        ),
    ]


def _memory(found: Indexed) -> Claim:
    peak = found.peak_mb
    name = f"memory at {found.corpus.documents:,} documents"
    return Claim(name, f"<= {MAX_PEAK_MB:g} MB", f"{peak:.0f} MB", peak <= MAX_PEAK_MB)


def _row(found: Indexed) -> Row:
    return {
        "corpus": found.corpus.name,
        "documents": str(found.corpus.documents),
        "text MB": f"{found.corpus.text_bytes / 1e6:.1f}",
        "seconds": f"{found.seconds:.2f}",
        "CPU seconds": f"{found.cpu_seconds:.2f}",
        "documents/s": f"{found.corpus.documents / found.seconds:.0f}",
        "documents/s/core": f"{found.rate:.0f}",
        "text MB/s/core": f"{found.corpus.text_bytes / 1e6 / found.cpu_seconds:.2f}",
        "index MB": f"{found.index_bytes / 1e6:.1f}",
        "stored MB": f"{found.stored_bytes / 1e6:.1f}",
        "index/text": f"{found.share:.1%}",
        "peak MB": f"{found.peak_mb:.0f}",
    }
