"""Results as a page that needs no JavaScript, in the style of the search page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from gossamer.core.search.fill_up import FILLED
from gossamer.entrypoints.api.views.facts import MEDIA, facts, picture
from gossamer.entrypoints.api.views.narrowing import (
    AS_ASKED,
    Narrowed,
    chips,
    facets,
    hidden_fields,
    order,
    spelling,
)

if TYPE_CHECKING:
    from gossamer.core.search.result import Hit, SearchResponse


def to_page(
    query: str,
    response: SearchResponse | None,
    problem: str = "",
    narrowed: Narrowed = AS_ASKED,
) -> str:
    """The page of a query: its results, what was wrong with it, or only the box."""
    title = f"{escape(query)} – Gossamer" if query else "Gossamer"
    feed = f"search.rss?{urlencode({'q': query})}"
    alternate = f'<link rel="alternate" type="application/rss+xml" href="{escape(feed)}">'
    shown = chips(query, narrowed) + _results(response, narrowed) if response else ""
    if problem:
        shown = _state("This cannot be searched", escape(problem))
    return (
        '<!doctype html>\n<html lang="en" data-view="answer">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta name="robots" content="noindex">\n<title>{title}</title>\n'
        '<link rel="icon" href="static/favicon.svg" type="image/svg+xml">\n'
        '<link rel="stylesheet" href="static/app.css">\n'
        '<link rel="search" type="application/opensearchdescription+xml" href="opensearch.xml"'
        f' title="Gossamer">\n{alternate if query else ""}\n</head>\n<body>\n<div class="stage">\n'
        f'<header class="top">\n<a class="brand" href="html">Gossamer</a>\n{_form(query, narrowed)}'
        f'</header>\n<main>\n<div class="found">\n{shown}</div>\n</main>\n</div>\n</body>\n'
        "</html>\n"
    )


def _form(query: str, narrowed: Narrowed) -> str:
    return (
        '<form class="box" role="search" action="html" method="get">\n'
        '<label class="unseen" for="q">Search</label>\n'
        f'<input id="q" name="q" type="search" maxlength="4000" value="{escape(query)}">\n'
        f"{hidden_fields(narrowed)}"
        '<button type="submit" aria-label="Search"><svg viewBox="0 0 20 20" aria-hidden="true">'
        '<circle cx="8.5" cy="8.5" r="5.5"/><path d="M12.8 12.8 17.5 17.5"/></svg></button>\n'
        "</form>\n"
    )


def _state(title: str, *lines: str) -> str:
    items = "".join(f"<li>{line}</li>" for line in lines)
    return f'<div class="state" role="status"><h2>{title}</h2><ul>{items}</ul></div>\n'


def _results(response: SearchResponse, narrowed: Narrowed) -> str:
    query, notes = escape(response.query), [escape(note) for note in response.notes]
    if not response.total:
        hints = ("Check the spelling.", "Try fewer or more general words.")
        title, lines = f"No pages match “{query}”", [*notes, *hints]
        if response.partial:
            title, lines = "Nothing found in what was searched", notes
        return spelling(response.correction, narrowed) + _state(title, *lines)
    if not response.hits:
        link = f'<a href="{narrowed.address(response.query)}">Go to the first one</a>'
        return _state(f"There is no page {response.page:,}", link)
    least = "" if response.total_is_exact else "at least "
    noun = "result" if response.total == 1 else "results"
    page = f", page {response.page:,}" if response.page > 1 else ""
    line = next((hit.rank for hit in response.hits if hit.filled), 0)
    items = "".join(
        _item(hit, response.query, narrowed, FILLED if hit.rank == line else "")
        for hit in response.hits
    )
    told = "".join(f"<li>{note}</li>" for note in notes)
    told = f'<ul class="notes">{told}</ul>\n' if told else ""
    return (
        f'<p class="count">{least}{response.total:,} {noun}{page}</p>\n'
        f"{spelling(response.correction, narrowed)}{told}"
        f"{order(response.query, narrowed)}{facets(response, narrowed)}"
        f'<ol class="hits" start="{response.hits[0].rank}">\n{items}</ol>\n'
        f"{_turning(response, narrowed)}"
    )


def _item(hit: Hit, query: str, narrowed: Narrowed, line: str = "") -> str:
    """Return a result, below a line if it is the first that fills up an answer."""
    url, name = escape(hit.link), escape(hit.title.strip() or hit.url)
    is_web = hit.url.startswith(("http://", "https://"))
    tag, link = ("a", f' href="{url}"') if is_web else ("span", "")
    kind = f' <span class="kind">{MEDIA[hit.kind]}</span>' if hit.kind in MEDIA else ""
    date = f" <time>{escape(hit.date[:10])}</time>" if hit.date else ""
    marked = "".join(
        f"<mark>{escape(piece.text)}</mark>" if piece.hit else escape(piece.text)
        for piece in hit.highlights
    )
    above = f'<p class="filled">{line}</p>' if line else ""
    copy = f' <a class="copy" href="documents/{escape(hit.id)}/cached">Stored copy</a>'
    return (
        f'<li class="hit">{above}<h2><{tag}{link} dir="auto">{name}</{tag}></h2>\n'
        f'<p class="crumb"><bdi>{url}</bdi>{kind}{date}{copy if is_web else ""}</p>\n'
        f'{picture(hit)}<p class="snippet" dir="auto">{marked or escape(hit.snippet)}</p>'
        f"{facts(hit)}"
        f"{_alike(hit, query, narrowed) if hit.similar else ''}</li>\n"
    )


def _alike(hit: Hit, query: str, narrowed: Narrowed) -> str:
    """A link to all results with the similar pages that this one stands for."""
    address = narrowed._replace(similar="all").address(query)
    pages = f"{hit.similar:,} similar page{'' if hit.similar == 1 else 's'}"
    return f'<p class="crumb"><a href="{address}">{pages}</a></p>'


def _turning(response: SearchResponse, narrowed: Narrowed) -> str:
    """Links to the pages before and after."""

    def link(page: int, rel: str, text: str) -> str:
        return f'<li><a rel="{rel}" href="{narrowed.address(response.query, page)}">{text}</a></li>'

    links = [link(response.page - 1, "prev", "Previous")] if response.page > 1 else []
    if response.left:
        links.append(link(response.page + 1, "next", "Next"))
    return f'<nav class="pages"><ul>{"".join(links)}</ul></nav>\n' if links else ""
