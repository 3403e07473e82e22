"""Pages of every type, written by rule."""

from gossamer.core.page.html import parse_page

URL = "http://a.test/page"
MENU = "<div class='site-menu'>" + "".join(f"<a href=/m{n}>Entry {n}</a> " for n in range(9))
MENU += "</div>"
FOOTER = "<footer>Imprint of the publisher</footer>"


def sentence(n: int) -> str:
    """A sentence that no other one is alike."""
    return f"Sentence number {n} tells what happened on day {n} of the long voyage to island {n}."


def prose(count: int, first: int = 0) -> str:
    """Paragraphs of two sentences each."""
    starts = range(first, first + 2 * count, 2)
    return "".join(f"<p>{sentence(n)} {sentence(n + 1)}</p>" for n in starts)


def text_of(html: str, url: str = URL, extractor: str = "auto") -> str:
    """What is read from a page."""
    return parse_page(html.encode(), url, extractor=extractor).documents[0].text


def framed(main: str, head: str = "") -> str:
    """A page with margins around its text."""
    return f"<html><head><title>T</title>{head}</head><body>{MENU}{main}{FOOTER}</body></html>"
