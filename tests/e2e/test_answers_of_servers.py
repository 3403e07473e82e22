"""Is a site read as browsers and its owner mean it: its answers, its charsets, its directives?

One server on the wire, crawled by the real command; then what needs no wire, on a stack.
"""

from __future__ import annotations

import gzip
import io
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from gossamer.core.crawl.url_state import State
from tests.commands import run_here, said
from tests.e2e.crawls import audited, crawl, exported
from tests.pump import answer, page, robots
from tests.stack_world import StackWorld
from tests.unit.entrypoints.moto_stack import aws, deploy, home, result

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HTML = ("Content-Type", "text/html")
UTF8 = ("Content-Type", "text/html; charset=utf-8")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
KOREAN = "거미는 다리가 여덟 개인 동물이다. 거미줄을 쳐서 먹이를 잡는다. 세계 곳곳에 산다."


class Said(NamedTuple):
    """What the server says to a path; the second time something else, if that is given."""

    code: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = (UTF8,)


def archive() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as made:
        made.writestr("a.txt", "not a page")
    return held.getvalue()


def html(text: str, head: str = "") -> bytes:
    return f"<html><head>{head}</head><body><p>{text}</p></body></html>".encode()


def robots_meta(rules: str) -> str:
    return f"<meta name=robots content='{rules}'>"


def leading(location: str) -> Said:
    return Said(302, headers=(("Location", location),))


TAG = "X-Robots-Tag"
PACKED = ("Content-Encoding", "gzip")
SITE: dict[str, Said | tuple[Said, Said]] = {
    # How a body is sent.
    "/no-content": Said(204),
    "/reset": Said(205, b"x"),
    "/empty": Said(200, b" \n"),
    "/twice-packed": Said(
        200,
        gzip.compress(gzip.compress(html("orb weavers"))),
        (UTF8, ("Content-Encoding", "gzip, gzip")),
    ),
    "/members": Said(
        200, gzip.compress(html("funnel")) + gzip.compress(html("webs")), (UTF8, PACKED)
    ),
    "/picture": Said(200, PNG),
    "/archive": Said(200, archive()),
    # Where it leads.
    "/unasked-304": (Said(304), Said(200, html("wolf spiders"))),
    "/loop": leading("/pool"),
    "/pool": leading("/loop"),
    "/self": leading("/self"),
    "/raw": leading("/spinne/fäden?q=ü"),
    "/spinne/f%C3%A4den?q=%C3%BC": Said(200, html("threads in letters")),
    "/refreshed": Said(200, html("goes on"), (UTF8, ("Refresh", "1; url=/goal"))),
    "/goal": Said(200, html("a goal")),
    "/named": Said(200, html("named elsewhere"), (UTF8, ("Link", '</real>; rel="canonical"'))),
    # In which letters.
    "/korean": Said(200, f"<title>K</title><p>{KOREAN}".encode("cp949"), (HTML,)),
    "/plain": Said(200, "Паук плетёт паутину из шёлка каждое утро.".encode("cp1251"),
                   (("Content-Type", "text/plain"),)),
    "/late": Said(
        200,
        b"<html><head><!--" + b"x" * 2000 + b"--><meta charset=windows-1251></head><p>"
        + "паутина".encode("cp1251"),
        (HTML,),
    ),
    "/scripted": Said(
        200,
        b"<script>'<meta charset=koi8-r>'</script><title><meta charset=koi8-r></title>"
        b"<meta charset=windows-1251><p>" + "шёлк".encode("cp1251"),
        (HTML,),
    ),
    "/legacy": Said(
        200,
        "<meta charset=windows-1251><p>архив <a href='/find?q=шёлк'>x</a>".encode("cp1251"),
        (HTML,),
    ),
    "/find?q=%F8%B8%EB%EA": Said(200, html("found by its own letters")),
    # What its owner asks for.
    "/hidden": Said(200, html("a <a href=/unseen>x</a>", robots_meta("noindex;nofollow"))),
    "/over": Said(200, html("over"), (UTF8, (TAG, "unavailable_after: 1 Jan 2020"))),
    "/to-come": Said(200, html("to come"), (UTF8, (TAG, "unavailable_after: 2090-01-01"))),
    "/both": Said(
        200, html("both", robots_meta("index") + "<meta name=gossamer content=noindex>")
    ),
    "/other-bot": Said(200, html("for another"), (UTF8, (TAG, "otherbot: noindex"))),
    "/en": Said(
        200,
        html("spiders", "<link rel=alternate hreflang=de href=/de>"),
        (UTF8, ("Link", '</fr>; rel=alternate; hreflang="fr"')),
    ),
}  # fmt: skip
ASKED = [path for path in SITE if path not in ("/pool", "/goal") and "%" not in path]
ENDS = {
    "/no-content": ("excluded", "http-204"),
    "/reset": ("excluded", "http-205"),
    "/empty": ("excluded", "empty-body"),
    "/picture": ("excluded", "not-text"),
    "/archive": ("excluded", "not-text"),
    "/loop": ("redirected", "redirect"),
    "/pool": ("failed", "redirect-loop"),
    "/self": ("failed", "redirect-loop"),
    "/raw": ("redirected", "redirect"),
    "/hidden": ("excluded", "noindex"),
    "/over": ("excluded", "unavailable-after"),
    "/both": ("excluded", "noindex"),
}
FOUND = {
    "/twice-packed": "orb weavers",
    "/members": "funnel webs",
    "/unasked-304": "wolf spiders",
    "/spinne/f%C3%A4den?q=%C3%BC": "threads in letters",
    "/goal": "goal",
    "/korean": "거미줄을",
    "/plain": "паутину",
    "/late": "паутина",
    "/scripted": "шёлк",
    "/find?q=%F8%B8%EB%EA": "found by its own letters",
    "/to-come": "come",
    "/other-bot": "another",
}


class Wire(BaseHTTPRequestHandler):
    """Says what SITE has, byte for byte."""

    met: set[str]

    def do_GET(self) -> None:
        said = SITE.get(self.path, Said(404))
        if not isinstance(said, Said):
            said = said[self.path in self.met]
            self.met.add(self.path)
        if self.path == "/":
            said = Said(200, html(" ".join(f"<a href='{path}'>{path}</a>" for path in ASKED)))
        lines = [f"HTTP/1.1 {said.code} Said", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in said.headers]
        if said.code not in (204, 304):
            lines.append(f"Content-Length: {len(said.body)}")
        head = "\r\n".join(lines).encode()  # UTF-8, as many servers write it
        self.wfile.write(head + b"\r\n\r\n" + (said.body if said.code != 204 else b""))
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: Any) -> Iterator[tuple[str, Path, dict[str, Any]]]:
    """The site's address, the folder of the crawl, and every URL as it ended."""
    handler = type("Handler", (Wire,), {"met": set()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    site, data = f"http://127.0.0.1:{server.server_port}", tmp_path_factory.mktemp("wire") / "data"
    crawl(site, data, index=True)
    yield site, data, {url["url"].removeprefix(site): url for url in exported(data, "urls")}
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("path", sorted(ENDS))
def test_an_answer_without_a_page_ends_for_its_reason(crawled, path):
    url = crawled[2][path]

    assert (url["state"], url["reason"]) == ENDS[path]


@pytest.mark.parametrize("path", sorted(FOUND))
def test_a_page_is_found_by_what_it_says(crawled, path):
    site, data, urls = crawled

    hits = said("search", f'"{FOUND[path]}"', "--data", data, "--json")["hits"]

    assert urls[path]["reason"] == "document"
    assert site + path in [hit["url"] for hit in hits]


def test_what_a_page_with_nofollow_leads_to_is_not_asked_for(crawled):
    assert crawled[2]["/unseen"]["reason"] == "nofollow"


def test_a_page_is_known_by_the_address_that_its_header_calls_canonical(crawled):
    site, data, _ = crawled

    [document] = [d for d in exported(data, "documents") if d["url"] == f"{site}/named"]

    assert document["canonical"] == f"{site}/real"


def test_a_page_in_other_languages_is_explained_with_them(crawled):
    site, data, _ = crawled

    life = said("explain-url", f"{site}/en", "--data", data)
    text = run_here("explain-url", f"{site}/en", "--data", data).stdout

    assert life["alternates"] == {"de": f"{site}/de", "fr": f"{site}/fr"}
    assert "  in other languages:\n" in text
    assert f"    de  {site}/de\n" in text


def test_every_request_was_polite(crawled):
    assert audited(crawled[1]).violations == 0


ROOT = "http://a.test/"


def behind(path: str) -> Any:
    """What the site says to a path, as the servers of a stack's tests say it."""
    said = SITE[path]
    first = said if isinstance(said, Said) else said[0]
    sent = answer(first.code, first.body, headers=first.headers)
    return sent if isinstance(said, Said) else [sent, behind_again(said[1])]


def behind_again(said: Said) -> Any:
    return answer(said.code, said.body, headers=said.headers)


async def test_a_stack_ends_the_same_answers_for_the_same_reasons(tmp_path, capsys):
    paths = [path for path in ASKED if path not in ("/twice-packed", "/members", "/raw")]
    with aws():
        deploy()
        opened = home()
        site = {f"{ROOT[:-1]}{path}": behind(path) for path in SITE if path not in ("/raw",)}
        site |= {f"{ROOT}robots.txt": robots(""), ROOT: page(*paths, title="root")}
        stack = StackWorld(opened, tmp_path, site, seeds=[ROOT], delay=0.0)
        await stack.crawl()

        for path, (state, reason) in ENDS.items():
            if path not in ("/raw", "/over"):  # needs the wire; needs a clock of this century
                assert (path, *stack.world.end_of(ROOT[:-1] + path)) == (path, state, reason)
        for path in ("/unasked-304", "/korean", "/plain", "/late", "/scripted", "/to-come"):
            assert stack.world.end_of(ROOT[:-1] + path) == (State.PARSED, "document")
        life = result(capsys, "explain-url", f"{ROOT}en", "--job", "web")
        assert life["alternates"] == {"de": f"{ROOT}de", "fr": f"{ROOT}fr"}
        opened.close()
