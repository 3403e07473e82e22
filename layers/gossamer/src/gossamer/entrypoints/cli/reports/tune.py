"""The command `gossamer tune`: preview what other settings make of a query's results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from gossamer import homes
from gossamer.core.errors import ConfigurationError
from gossamer.core.settings_changes import changes_between
from gossamer.core.settings_file import changed
from gossamer.entrypoints.cli.command import DONE, print_result, settings_of
from gossamer.entrypoints.collection.settings import Stored, advice, store
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.terminal import harmless
from gossamer.search.tuning.reweighing import reweighed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from gossamer.core.collection import CollectionSettings
    from gossamer.core.search.result import Hit, SearchResponse
    from gossamer.core.settings_changes import SettingChange
    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.home import Home
    from gossamer.search.searcher import Searcher

DESCRIPTION = """\
Show the first results of a query as they are and as they would be by other settings. Nothing is
stored without --save.
"""
EXAMPLES = """\
examples:
  gossamer tune --set 'formula=saturation(votes, 20)' -- spider silk
  gossamer tune --set bm25.rank=1 --set words.freiburg=5 --save -- opening hours
  gossamer tune --set 'results.jobs.pinned=["https://example.org/work"]' -- jobs
"""
SHOWN = 10  # results on each side
WIDTH = 36  # letters of a title
UNKNOWN = (
    "{} applied when documents are indexed, and not shown here: `gossamer eval FOLDER --compare"
    " a.toml b.toml` measures both on a judged collection; or store with --save, then `gossamer"
    " reindex`, and the old index answers meanwhile"
)
COMPUTED = (
    "{} computed here for the 100 results that come first in the present index, and applied when"
    " documents are indexed: store with --save, then `gossamer reindex`"
)
ASIDE = ("typos.", "query_log.")
NO_PART = "a preview corrects no spelling and counts no query"
CANDIDATES = 100  # results of which it is computed what other weights make


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """A result, and where it was before."""

    rank: int
    url: str
    title: str
    score: float
    move: Literal["up", "down", "same", "new"]
    before: int = 0  # its rank; 0 if it was not among them


class Shown(msgspec.Struct, frozen=True):
    """A result as it is now."""

    rank: int
    url: str
    title: str
    score: float


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """The first results before and after a change of settings."""

    query: str
    before: list[Shown]
    after: list[Moved]
    gone: list[str]  # URLs that are not among the first any more
    notes: list[str]
    saved: Stored | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which settings, and the query."""
    parser.description, parser.epilog = DESCRIPTION, EXAMPLES
    parser.add_argument("query", nargs="+", metavar="QUERY", help="what to look for")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="changes",
        help="a setting as `gossamer settings` shows it, with dots; may be given several times",
    )  # fmt: skip
    parser.add_argument("--save", action="store_true", help="store these settings afterwards")


def run(args: argparse.Namespace) -> int:
    """Preview settings on this machine."""
    found, wanted = _preview(homes.open_home(settings_of(args), read_only=True), args)
    saved = None
    if args.save:
        with session.locked(settings_of(args), "settings") as home:
            saved = store(home, wanted)
    return _print(args, found, saved)


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Preview settings of a collection in a stack."""
    found, wanted = _preview(stack.home, args)
    return _print(args, found, store(stack.home, wanted) if args.save else None)


def _print(args: argparse.Namespace, found: Preview, saved: Stored | None) -> int:
    text = "\n".join(_lines(found))
    if saved is not None:
        text += f"\nstored as version {saved.version}{advice(saved)}"
    print_result(args, msgspec.structs.replace(found, saved=saved), text)
    return DONE


def _preview(home: Home, args: argparse.Namespace) -> tuple[Preview, CollectionSettings]:
    if not args.changes:
        raise ConfigurationError("name a setting: gossamer tune --set NAME=VALUE -- QUERY")
    query = " ".join(word.strip() for word in args.query)
    settings = home.settings.get()
    wanted = changed(settings, args.changes)
    searcher = homes.searcher(home)
    before = searcher.search(query, limit=SHOWN, correct=False)
    changes = changes_between(settings, wanted)
    after, notes = _answer(searcher, query, settings, wanted, changes)
    notes = [*notes, *without_effect(changes), *after.notes, *dominance(after.hits)]
    return compared(before, after, notes), wanted


def _answer(
    searcher: Searcher,
    query: str,
    settings: CollectionSettings,
    wanted: CollectionSettings,
    changes: Sequence[SettingChange],
) -> tuple[SearchResponse, list[str]]:
    """The results by the wanted settings, as far as the present index can tell."""
    by_index = [change.name for change in changes if change.needs_reindex]
    weights = [name for name in by_index if name.startswith("weights.")]
    others = [name for name in by_index if name not in weights]
    notes = [UNKNOWN.format(_listed(others))] if others else []
    # What is applied when documents are indexed stays as it is in the index.
    at_once = msgspec.structs.replace(
        wanted, analyzer=settings.analyzer, weights=settings.weights, fields=settings.fields
    )
    searcher.use(at_once)
    if not weights:
        return searcher.search(query, limit=SHOWN, explain=True, correct=False), notes
    found = searcher.search(query, limit=CANDIDATES, explain=True, correct=False)
    searcher.use(msgspec.structs.replace(at_once, weights=wanted.weights))
    same = searcher.search(query, limit=CANDIDATES, explain=True, correct=False)
    hits = reweighed(found.hits, same.hits, settings.weights, wanted.weights)[:SHOWN]
    notes.append(COMPUTED.format(_listed(weights)))
    return msgspec.structs.replace(found, hits=hits), notes


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"


def without_effect(changes: Sequence[SettingChange]) -> list[str]:
    """What of a change no preview can show."""
    if not changes:
        return ["the collection has these settings already"]
    aside = [each.name for each in changes if each.name.startswith(ASIDE)]
    aside = [name for name in aside if name != "typos.q"]
    return [f"{_listed(aside)} not shown: {NO_PART}"] if aside else []


def dominance(hits: Sequence[Hit]) -> list[str]:
    """A warning, if the formula tells results further apart than their words do."""
    why = [hit.explain for hit in hits if hit.explain is not None]
    formula = [sum(p.score for p in each.boosts if p.what == "formula") for each in why]
    words = [sum(part.score for part in each.terms) for each in why]
    by_formula, by_words = _spread(formula), _spread(words)
    if by_formula <= by_words:
        return []
    return [
        f"the formula decides: among these results its part differs by {by_formula:.2f} points,"
        f" that of the words by {by_words:.2f}; saturation(x, half) keeps a part between 0 and 1"
    ]


def _spread(values: Sequence[float]) -> float:
    return max(values, default=0.0) - min(values, default=0.0)


def compared(before: SearchResponse, after: SearchResponse, notes: list[str]) -> Preview:
    """Both answers side by side."""
    ranks = {hit.id: hit.rank for hit in before.hits}
    left = {hit.id for hit in after.hits}
    return Preview(
        query=after.query,
        before=[Shown(hit.rank, hit.url, hit.title, hit.score) for hit in before.hits],
        after=[_moved(hit, ranks.get(hit.id, 0)) for hit in after.hits],
        gone=[hit.url for hit in before.hits if hit.id not in left],
        notes=notes,
    )


def _moved(hit: Hit, before: int) -> Moved:
    move: Literal["up", "down", "same", "new"] = "new"
    if before:
        move = "same" if before == hit.rank else "up" if hit.rank < before else "down"
    return Moved(
        rank=hit.rank, url=hit.url, title=hit.title, score=hit.score, move=move, before=before
    )


def _lines(found: Preview) -> Iterator[str]:
    yield f"    {'before':{WIDTH + 16}}    {'after'}"
    gone = set(found.gone)
    for place in range(max(len(found.before), len(found.after))):
        left = right = ""
        if place < len(found.before):
            was = found.before[place]
            left = _cell(was.rank, was.title, was.score) + (" gone" if was.url in gone else "")
        if place < len(found.after):
            now = found.after[place]
            right = f"{_cell(now.rank, now.title, now.score)} {_move(now)}"
        yield f"{left:{WIDTH + 20}}{right}".rstrip()
    yield from [f"note: {harmless(note)}" for note in found.notes]


def _cell(rank: int, title: str, score: float) -> str:
    shown = harmless(title)
    shown = shown if len(shown) <= WIDTH else shown[: WIDTH - 1] + "…"
    return f"{rank:2}. {shown:{WIDTH}} {score:8.3f}"


def _move(now: Moved) -> str:
    if now.move in ("same", "new"):
        return "=" if now.move == "same" else "new"
    return f"{now.move} {abs(now.before - now.rank)}"
