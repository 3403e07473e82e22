"""Does the demo site keep what its about page promises?"""

from __future__ import annotations

import http.client
import re
import socket
from collections import deque
from functools import cache
from urllib.parse import unquote, urljoin, urlsplit
from xml.etree import ElementTree

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from gossamer.entrypoints.demo.site import ROOT, main, read_redirects, serve_demo

SECONDS = 60.0  # for an answer that takes milliseconds, however busy the machine is
BROKEN = "/spiders/lost-web.html"
ORPHAN = "/hidden-corner.html"
PAGES = sorted(f"/{p.relative_to(ROOT)}" for p in ROOT.rglob("*.html") if p.name[0] != "_")
CLOSED = {"/attic/index.html", "/attic/moth-ledger.html", "/workbench.html"}


@pytest.fixture(scope="module")
def base():
    with serve_demo() as url:
        yield url


def ask(base, path, method="GET", **headers):
    """One request over a connection of its own: (code, headers, body)."""
    connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=SECONDS)
    try:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers=names)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


@cache
def parsed(page: str) -> LexborHTMLParser:
    return LexborHTMLParser((ROOT / page.lstrip("/")).read_text(encoding="utf-8"))


def first(tree: LexborHTMLParser, selector: str) -> LexborNode:
    found = tree.css_first(selector)
    assert found is not None, f"no {selector}"
    return found


def canonical(path: str) -> str:
    return f"{path}index.html" if path.endswith("/") else path


def links(page: str) -> list[tuple[str, LexborNode]]:
    """Targets of a page's links as root-relative paths, with their elements."""
    anchors = parsed(page).css("a[href]")
    return [(urljoin(page, anchor.attributes["href"] or ""), anchor) for anchor in anchors]


def resolve(target: str) -> str | None:
    """The file a link ends at, following redirects as the server would; None if there is none."""
    redirects = read_redirects(ROOT / "_redirects")
    path = unquote(urlsplit(target).path)
    path = canonical(redirects.get(path, (path, 0))[0])
    return path if (ROOT / path.lstrip("/")).is_file() else None


def is_calendar(target: str) -> bool:
    return target.startswith("/calendar/")


def test_the_site_has_about_sixty_pages():
    assert 58 <= len(PAGES) <= 66


def test_exactly_one_link_is_broken_and_no_link_names_a_host():
    targets = {target for page in PAGES for target, _ in links(page)}

    broken = {target for target in targets if not is_calendar(target) and not resolve(target)}

    assert broken == {BROKEN}
    assert not [target for target in targets if urlsplit(target).netloc]


@pytest.mark.parametrize("page", PAGES)
def test_every_fragment_names_an_element(page):
    fragments = {urlsplit(target).fragment for target, _ in links(page)} - {""}

    assert all(parsed(page).css_first(f"#{name}") for name in fragments)


def test_every_page_but_the_orphan_can_be_reached_from_the_home_page():
    reached, waiting = {"/index.html"}, deque(["/index.html"])

    while waiting:
        for target, _ in links(waiting.popleft()):
            end = None if is_calendar(target) else resolve(target)
            if end and end.endswith(".html") and end not in reached:
                reached.add(end)
                waiting.append(end)

    assert set(PAGES) - reached == {ORPHAN}


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_titled_described_dated_and_in_english(page):
    tree = parsed(page)

    description = first(tree, 'meta[name="description"]').attributes["content"]
    published = first(tree, 'meta[property="article:published_time"]').attributes["content"]

    assert first(tree, "html").attributes["lang"] == "en"
    assert first(tree, "title").text().strip()
    assert len(tree.css("h1")) == 1
    assert len(tree.css("h2")) >= 1
    assert 20 < len(description or "") < 180
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", published or "")


@pytest.mark.parametrize("page", PAGES)
def test_every_image_exists_and_has_an_alternative_text(page):
    for image in parsed(page).css("img"):
        assert len(image.attributes.get("alt") or "") > 15
        assert resolve(urljoin(page, image.attributes["src"] or ""))


@pytest.mark.parametrize("page", PAGES)
def test_no_page_runs_scripts_or_asks_another_host(page):
    assert not parsed(page).css("script, iframe, style, [onclick], [style]")
    assert "//" not in (ROOT / page.lstrip("/")).read_text(encoding="utf-8")


def test_titles_and_descriptions_are_told_apart_except_for_the_duplicate():
    pages = [page for page in PAGES if page != "/networks/star-patterns.html"]

    titles = {first(parsed(page), "title").text() for page in pages}
    described = {first(parsed(p), 'meta[name="description"]').html for p in pages}

    assert len(titles) == len(described) == len(pages)


def test_the_duplicate_is_byte_identical_and_both_addresses_are_linked():
    pair = ["/networks/constellations.html", "/networks/star-patterns.html"]
    targets = {target for page in PAGES for target, _ in links(page)}

    assert len({(ROOT / page.lstrip("/")).read_bytes() for page in pair}) == 1
    assert set(pair) <= targets


def test_only_the_workbench_asks_not_to_be_indexed():
    marked = {p for p in PAGES if parsed(p).css_first('meta[name="robots"][content="noindex"]')}

    assert marked == {"/workbench.html"}


def test_a_few_links_say_nofollow():
    marked = [a for page in PAGES for _, a in links(page) if a.attributes.get("rel") == "nofollow"]

    assert len(marked) == 3


def test_the_attic_is_linked_from_one_open_page_only():
    outside = [page for page in PAGES if not page.startswith("/attic/")]

    linking = {p for p in outside for target, _ in links(p) if target.startswith("/attic/")}

    assert linking == {"/about.html"}


@pytest.mark.parametrize(
    "word",
    ["dragline", "heddle", "catenary", "repeater", "supercontraction", "quipu", "holloways"],
)
def test_a_telling_word_has_a_page_of_its_own(word):
    counts = {page: first(parsed(page), "main").text().lower().count(word) for page in PAGES}

    assert max(counts.values()) >= 2


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_served_with_its_type_and_length(base, page):
    code, headers, body = ask(base, page)

    assert code == 200
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert int(headers["Content-Length"]) == len(body) > 1000


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/style.css", "text/css; charset=utf-8"),
        ("/images/orb-web.svg", "image/svg+xml; charset=utf-8"),
        ("/weaving/twill-draft.txt", "text/plain; charset=utf-8"),
        ("/robots.txt", "text/plain; charset=utf-8"),
        ("/sitemap.xml", "application/xml; charset=utf-8"),
    ],
)
def test_other_files_are_served_with_their_types(base, path, content_type):
    code, headers, _ = ask(base, path)

    assert (code, headers["Content-Type"]) == (200, content_type)


@pytest.mark.parametrize(
    ("path", "code", "location"),
    [
        ("/old-index.html", 301, "/"),
        ("/cordage/hitches.html", 308, "/cordage/knots.html"),
        ("/spiders", 301, "/spiders/"),
    ],
)
def test_a_moved_page_redirects(base, path, code, location):
    answered, headers, body = ask(base, path)

    assert (answered, headers["Location"], body) == (code, location, b"")


def test_a_known_etag_is_answered_with_304_and_no_body(base):
    _, headers, _ = ask(base, "/spiders/dragline.html")

    code, again, body = ask(base, "/spiders/dragline.html", If_None_Match=headers["ETag"])

    assert (code, body, again["ETag"]) == (304, b"", headers["ETag"])


def test_an_unknown_etag_is_answered_in_full_whatever_the_date(base):
    late = "Fri, 01 Jan 2100 00:00:00 GMT"

    code, _, _ = ask(base, "/", If_None_Match='"stale"', If_Modified_Since=late)

    assert code == 200


@pytest.mark.parametrize(
    ("since", "code"),
    [("Fri, 01 Jan 2100 00:00:00 GMT", 304), ("Thu, 01 Jan 1970 00:00:00 GMT", 200), ("soon", 200)],
)
def test_a_date_decides_when_there_is_no_etag(base, since, code):
    assert ask(base, "/", If_Modified_Since=since)[0] == code


def test_the_last_modified_date_is_answered_with_304(base):
    _, headers, _ = ask(base, "/about.html")

    assert ask(base, "/about.html", If_Modified_Since=headers["Last-Modified"])[0] == 304


def test_head_gives_the_headers_of_get_without_the_body(base):
    _, full, _ = ask(base, "/")

    code, headers, body = ask(base, "/", method="HEAD")

    assert (code, body) == (200, b"")
    assert headers["Content-Length"] == full["Content-Length"]
    assert headers["ETag"] == full["ETag"]


def test_one_connection_serves_many_requests(base):
    connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=SECONDS)
    try:
        for path in ("/", "/nowhere", "/old-index.html", "/calendar/2026/11/", "/robots.txt"):
            connection.request("GET", path)
            connection.getresponse().read()
            assert connection.sock is not None, f"closed after {path}"
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("month", "before", "after"),
    [
        ("/calendar/2026/11/", "/calendar/2026/10/", "/calendar/2026/12/"),
        ("/calendar/2026/12/", "/calendar/2026/11/", "/calendar/2027/01/"),
        ("/calendar/9999/12/", "/calendar/9999/11/", "/calendar/10000/01/"),
        ("/calendar/123456/01/", "/calendar/123455/12/", "/calendar/123456/02/"),
    ],
)
def test_every_month_links_to_its_neighbours_for_ever(base, month, before, after):
    code, _, body = ask(base, month)

    tree = LexborHTMLParser(body)

    assert code == 200
    assert first(tree, 'a[rel="prev"]').attributes["href"] == before
    assert first(tree, 'a[rel="next"]').attributes["href"] == after


def test_a_month_shows_its_days(base):
    _, _, body = ask(base, "/calendar/2024/02/")

    days = [cell.text() for cell in LexborHTMLParser(body).css("td") if cell.text()]

    assert days == [str(day) for day in range(1, 30)]


@pytest.mark.parametrize("path", ["/calendar/2026/13/", "/calendar/2026/00/", "/calendar/26/1/"])
def test_there_is_no_thirteenth_month(base, path):
    assert ask(base, path)[0] == 404


def test_robots_txt_names_the_sitemap_under_the_address_in_use(base):
    _, _, body = ask(base, "/robots.txt")

    lines = body.decode().splitlines()

    assert f"Sitemap: {base}/sitemap.xml" in lines
    for line in ("User-agent: *", "Disallow: /attic/", "Allow: /attic/open-drawer.html"):
        assert line in lines
    assert "Crawl-delay: 0.1" in lines


def test_the_sitemap_follows_the_host_the_client_used(base):
    host = f"localhost:{urlsplit(base).port}"

    _, _, body = ask(base, "/sitemap.xml", Host=host)

    assert f"<loc>http://{host}/</loc>".encode() in body


def test_a_strange_host_header_does_not_reach_the_sitemap(base):
    _, _, body = ask(base, "/sitemap.xml", Host="<evil>")

    assert b"evil" not in body
    assert f"<loc>{base}/</loc>".encode() in body


def test_the_sitemap_lists_every_public_page_and_the_orphan(base):
    _, _, body = ask(base, "/sitemap.xml")

    names = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
    found = ElementTree.fromstring(body).findall("s:url/s:loc", names)  # noqa: S314 - our own file
    listed = {canonical(urlsplit(loc.text or "").path) for loc in found}

    assert listed == set(PAGES) - CLOSED
    assert ORPHAN in listed


@pytest.mark.parametrize(
    "path",
    [
        "/../site.py",
        "/..%2fsite.py",
        "/images/../../../cli/main.py",
        "/%2e%2e/%2e%2e/cli/main.py",
        "//etc/passwd",
        "/etc%00passwd",
        "/..\\..\\unit",
        "/_redirects",
        "/_calendar.html",
        "/" + "a" * 5000,
        "http://[",
    ],
)
def test_what_is_not_a_page_is_not_found(base, path):
    code, headers, body = raw(base, path)

    assert code == 404
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert b"leads nowhere" in body


def raw(base, path):
    """Ask for a path exactly as written: http.client would refuse or repair some of them."""
    address = ("127.0.0.1", urlsplit(base).port)
    with socket.create_connection(address, timeout=SECONDS) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        response = http.client.HTTPResponse(connection)
        response.begin()
        with response:
            return response.status, response.headers, response.read()


def test_a_missing_page_shows_its_path_without_trusting_it(base):
    _, _, body = ask(base, "/%3Cscript%3E")

    assert b"&lt;script&gt;" in body
    assert b"<script>" not in body


def test_a_port_in_use_is_explained_in_one_line(base, capsys):
    code = main(["--port", str(urlsplit(base).port)])

    complaint = capsys.readouterr().err

    assert code == 2
    assert complaint.count("\n") == 1
    assert "--port" in complaint


def test_a_folder_without_a_site_is_refused(tmp_path, capsys):
    assert main(["--root", str(tmp_path)]) == 2
    assert "--root" in capsys.readouterr().err


def test_the_server_stops_when_the_context_ends():
    with serve_demo() as url:
        port = urlsplit(url).port

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
