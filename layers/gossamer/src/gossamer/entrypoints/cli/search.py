"""The command `gossamer search`: a page of results in the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.core.crawl.url_state import State
from gossamer.core.errors import ConfigurationError, QueryError
from gossamer.core.page.values import each, in_words
from gossamer.core.search.fields import FACETS, SHOWN, SORTS
from gossamer.core.search.fill_up import FILLED
from gossamer.core.search.result_table import ALL, columns_of, row_of
from gossamer.core.urls import readable
from gossamer.entrypoints.cli.command import (
    DONE,
    WRONG_USAGE,
    names,
    print_result,
    settings_of,
    write_rows,
)
from gossamer.entrypoints.cli.facet_table import facet_lines
from gossamer.entrypoints.local.report import counted
from gossamer.entrypoints.local.terminal import harmless, has_colours
from gossamer.entrypoints.tables.aligned import aligned
from gossamer.entrypoints.tables.formats import FORMATS, table_lines
from gossamer.ports.home import CRAWL

if TYPE_CHECKING:
    import argparse

    from gossamer.core.page.values import Value
    from gossamer.core.search.result import (
        Answer,
        BoostPart,
        Correction,
        Explanation,
        Hit,
        SearchResponse,
        TermPart,
    )
    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.home import Home

DESCRIPTION = """\
Plain words are ranked: a page needs one of them, and more words score higher. Only an operator
makes a query exact, so quotes, parentheses and dashes may stand in text. Behind fewer than ten
exact results others come that have some of its words:
"""

EXAMPLES = """\
  a & b, a AND b, a b "c d"     all of them (a quoted phrase word by word)
  a | b, a OR b                 any of them
  !a, NOT a, -word              without it (-: in front of four letters or more)
  exam*                         words that begin with it
  title:word site:example.org domain:example.org url:docs lang:en kind:page
  date:2024 date:2024-05..2024-07 before:2024-05-31 after:2024
  brand:acme -brand:acme price:10..50 price:<50 in_stock:true
                                fields that the collection declares (`gossamer settings`)

  gossamer search silk -moth
  gossamer search '"spider silk" | (loom & web*)'

A shell reads these signs itself, so put single quotes around a query that has one of them:
  " * ! & | ( ) < > ; # $ ~ and a backslash
"""
BOLD, FAINT, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The query, which page of results, and how it is shown."""
    parser.description, parser.epilog = DESCRIPTION, EXAMPLES
    parser.add_argument("query", nargs="+", metavar="QUERY", help="what to look for")
    parser.add_argument("--limit", type=int, default=10, metavar="N", help="results per page")
    parser.add_argument("--page", type=int, default=1, metavar="P", help="which page, from 1")
    parser.add_argument("--explain", action="store_true", help="say why each result is there")
    parser.add_argument("--all", action="store_true", help="show similar pages, too")
    parser.add_argument(
        "--exact-total", action="store_true", help="count every match, if that takes longer"
    )
    parser.add_argument(
        "--filter", action="append", default=[], metavar="CONDITION", dest="filters",
        help="a condition that results must meet besides, and that adds nothing to their scores:"
        " lang:en, --filter=-kind:item, 'price:<50'; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--facets", "--facet", action="extend", type=names, default=[], metavar="NAMES",
        help="count the values of fields among all that match, with commas between:"
        f" {', '.join(FACETS)}, or facets that the collection declares; '*' for {', '.join(SHOWN)}"
        " and those that are declared",
    )  # fmt: skip
    parser.add_argument(
        "--sort", default="", metavar="FIELD",
        help=f"{', '.join(SORTS)} or a column that the collection declares for it, instead of"
        " relevance; --sort=-date begins with the newest",
    )  # fmt: skip
    parser.add_argument(
        "--fields", "--field", action="extend", type=names, default=[], metavar="NAMES",
        help="show values of each result, if its document has them, with commas between; '*' for"
        " all",
    )  # fmt: skip
    parser.add_argument(
        "--format", choices=("list", "table", *FORMATS), default="list",
        help="table: a row for each result and a column for each of its values (those of --fields,"
        " or all); csv and jsonl: the same for programs; default: list",
    )  # fmt: skip
    parser.add_argument(
        "--as-typed", action="store_true", help="correct no spelling, and suggest no other"
    )
    parser.add_argument(
        "--strict", action="store_true",
        help="read the query in the exact language, where an error is an error, and show only what"
        " matches it",
    )  # fmt: skip
    parser.add_argument("--profile", default="", metavar="NAME", help="bm25 (default) or tfidf")


def run(args: argparse.Namespace) -> int:
    """Print a page of results from this machine."""
    return _search(homes.open_home(settings_of(args), read_only=True), args)


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Print a page of results from a stack."""
    return _search(stack.home, args)


def _search(home: Home, args: argparse.Namespace) -> int:
    query = " ".join(word.strip() for word in args.query)
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
            exact_total=args.exact_total,
            filters=[each.strip() for each in args.filters],
            facets=args.facets,
            sort=args.sort.strip(),
            fields=_fields(args),
            correct=not args.as_typed,
            strict=args.strict,
            fill=args.format not in FORMATS,
        )
    except QueryError as error:
        return _point_at(args, query, error)
    if args.format in FORMATS and not args.json:
        write_rows(table_lines(found.hits, _fields(args), args.format), args.format, sys.stdout)
        return DONE
    print_result(args, found, _text(args, found) + _next_page(args, found))
    if not found.total and not home.index.manifest().live:
        print(f"gossamer: {_why_empty(home)}", file=sys.stderr)
    return DONE


def _fields(args: argparse.Namespace) -> list[str]:
    """A table without fields would be a list that says less."""
    return args.fields or ([ALL] if args.format != "list" else [])


def _text(args: argparse.Namespace, found: SearchResponse) -> str:
    colours = has_colours(sys.stdout)
    if args.format == "list" or not found.hits:
        return _listing(found, colours)
    rows = [row_of(hit.title, readable(hit.link), hit.values) for hit in found.hits]
    above = _listing(msgspec.structs.replace(found, hits=[]), colours)
    return "\n".join([above, "", *aligned(rows, columns_of(rows, _fields(args)))])


def _why_empty(home: Home) -> str:
    states, _ = home.states()
    if home.holder() == CRAWL:
        return "the crawl has begun; its first pages can be found in some seconds"
    if states.get(State.PARSED):
        return "the crawled pages are not indexed, or not by this version; run `gossamer index`"
    return "nothing is indexed yet; `gossamer run URL` crawls a site and indexes it"


def _point_at(args: argparse.Namespace, query: str, error: QueryError) -> int:
    print(f"gossamer: {error.message}", file=sys.stderr)
    asked = {"q": query, "facets": ",".join(args.facets), "sort": args.sort.strip()}
    text = error.text or asked.get(error.field, "")
    if text:
        print(f"  {harmless(text)}\n  {' ' * error.position}^", file=sys.stderr)
    return WRONG_USAGE


def _listing(found: SearchResponse, colours: bool) -> str:
    bold, faint, plain = (BOLD, FAINT, PLAIN) if colours else ("", "", "")
    least = "" if found.total_is_exact else "at least "
    lines = [f"{least}{counted(found.total, 'result')} in {found.took_ms:.1f} ms"]
    if found.correction is not None:
        lines.insert(0, _spelling(found.correction, bold, plain))
        is_explained = any(hit.explain is not None for hit in found.hits)
        lines += _corrected(found.correction) if is_explained else []
    lines += [f"note: {harmless(note)}" for note in found.notes]
    lines += [harmless(line) for line in _answer(found.answer)] if found.answer else []
    lines += facet_lines(found.facets, (faint, plain))
    for hit in found.hits:
        lines += _line_above(found, hit, (faint, plain))
        pieces = [(harmless(piece.text), piece.hit) for piece in hit.highlights]
        words = "".join(f"{bold}{text}{plain}" if found else text for text, found in pieces)
        title, url = harmless(hit.title), harmless(readable(hit.link))
        pinned = f" {faint}(pinned){plain}" if hit.pinned else ""
        lines += ["", f"{hit.rank}. {bold}{title}{plain}{pinned}", f"   {faint}{url}{plain}"]
        lines.append(f"   {' '.join(words.split())}")
        lines += [f"   {name}: {harmless(_shown(value))}" for name, value in hit.values.items()]
        if hit.similar:
            lines.append(f"   {faint}{_similar(hit.similar)}{plain}")
        if hit.explain is not None:
            lines += _reasons(hit.explain)
    return "\n".join(lines)


def _line_above(found: SearchResponse, hit: Hit, colours: tuple[str, str]) -> list[str]:
    """Draw the line between what matches and what fills up the answer."""
    first = next((each for each in found.hits if each.filled), None)
    faint, plain = colours
    return ["", f"{faint}--- {FILLED} ---{plain}"] if hit is first else []


def _spelling(correction: Correction, bold: str, plain: str) -> str:
    """Another spelling is never used or offered in silence."""
    better = f"{bold}{harmless(correction.corrected)}{plain}"
    if not correction.applied:
        return f"Did you mean {better}?"
    typed = f"{bold}{harmless(correction.typed)}{plain}"
    return f"Showing results for {better}. Search instead for {typed}: --as-typed"


def _corrected(correction: Correction) -> list[str]:
    return [
        f"spelling: {harmless(word.typed)} → {harmless(word.corrected)}"
        f" ({counted(word.edits, 'edit')}, in {counted(word.documents, 'document')})"
        for word in correction.words
    ]


def _next_page(args: argparse.Namespace, found: SearchResponse) -> str:
    if found.total and not found.hits:
        return f"\n\nthere are none on page {args.page}: --page 1 shows the first"
    if not found.left or not found.hits:
        return ""
    more = f"{found.left:,} more" if found.total_is_exact else f"at least {found.left:,} more"
    return f"\n\n{more}: --page {args.page + 1} shows the next"


def _shown(value: Value) -> str:
    return ", ".join(map(in_words, each(value)))


def _boost(part: BoostPart) -> str:
    """What a setting of the collection added."""
    if part.what == "word":
        return f"weighted word {harmless(part.name)}"
    values = ", ".join(f"{name} {value:g}" for name, value in part.values.items())
    return f"formula {harmless(part.name)}" + (f" ({values})" if values else "")


def _similar(count: int) -> str:
    return f"{count:,} similar page{'s' if count > 1 else ''}"


def _answer(answer: Answer) -> list[str]:
    """A small answer: "10 km = 6.2 miles", or a document with its values."""
    if answer.kind != "card":
        return [f"{answer.asked} = {answer.text}"]
    values = [f"  {name}: {_shown(value)}" for name, value in answer.values.items()]
    return [f"{answer.title}: {readable(answer.url)}", *values]


def _found_by(term: TermPart) -> str:
    """A term of the query, or what counts as one."""
    if not term.synonym_of:
        return term.term
    return f"{term.term}, in place of {harmless(term.synonym_of)} × {term.factor:g}"


def _reasons(why: Explanation) -> list[str]:
    lines = [f"   score {why.score:.4f} by {why.profile}:"]
    for term in why.terms:
        fields = ", ".join(f"{part.field} ×{part.frequency}" for part in term.fields)
        written = f", as written +{term.as_written:.3f}" if term.as_written else ""
        lines.append(
            f"     {term.score:8.4f}  {_found_by(term)} (in {counted(term.df, 'document')},"
            f" idf {term.idf:.3f}, weight {term.weight:.3f}{written}; {fields})"
        )
    if why.rank:
        lines.append(f"     {why.rank_score:8.4f}  PageRank ({why.rank:.3f} of 1)")
    lines += [f"     {part.score:8.4f}  {_boost(part)}" for part in why.boosts]
    if why.pinned:
        lines.append("   pinned: it is here by the settings of the collection, not by its score")
    if why.similar:
        verb = "are" if why.similar > 1 else "is"
        lines.append(f"   {_similar(why.similar)} {verb} not shown; --all shows every one")
    return lines
