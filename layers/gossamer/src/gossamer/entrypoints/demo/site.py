"""Serve the demo website on this machine.

The pages are plain files in pages/. This server adds redirects, conditional responses (304), the
placeholder {base}, and an endless calendar.

    python -m gossamer.entrypoints.demo.site   serve on http://127.0.0.1:8800 until Ctrl-C
    with serve_demo() as base: ...             serve on a free port inside a test
"""

from __future__ import annotations

import argparse
import calendar
import contextlib
import errno
import hashlib
import html
import re
import string
import sys
import threading
from dataclasses import dataclass, replace
from email.utils import formatdate, parsedate_to_datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ADDRESS = "127.0.0.1"
PORT = 8800
ROOT = Path(__file__).resolve().parent / "pages"
JOB = Path(__file__).resolve().with_name("job.toml")  # how to crawl it

CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml; charset=utf-8",
}
WITH_PLACEHOLDER = {"robots.txt", "sitemap.xml"}
MONTH_URL = re.compile(r"/calendar/(\d{4}|[1-9]\d{4,8})/(0[1-9]|1[0-2])/")
# What a Host header may look like before it is written into robots.txt and sitemap.xml.
PLAIN_HOST = re.compile(r"[A-Za-z0-9.-]+(:\d{1,5})?")
# HTML, one sentence for each month of any year.
NOTES = (
    "Frost outlines every abandoned web on the fence; the spiders themselves are elsewhere.",
    "The weaver&rsquo;s month: too dark for the garden, light enough for the loom at noon.",
    "The first wolf spiders run over dead leaves, and kites go up in the gales.",
    "Flax is sown, a hundred days before it will be pulled.",
    "Spiderlings hatch, gather into a golden ball, and scatter at a touch.",
    "Shearing. In the Andes, the bridge of grass is cut down and woven again.",
    "Flax stands in flower, blue until noon. Ropes slacken in the heat.",
    "Retting: the ponds smell, and the linen will be worth it.",
    "Orb webs are at their largest, and hung with dew until ten o&rsquo;clock.",
    "Gossamer weather begins: still mornings, warm air, threads on every stubble field.",
    "Saint Martin&rsquo;s summer. The last balloonists travel, and egg sacs are sealed for winter.",
    "Knots and splices by lamplight; nets are mended and sails put away.",
)


@dataclass(frozen=True, slots=True)
class Answer:
    """One response with its validators."""

    body: bytes = b""
    content_type: str = "text/html; charset=utf-8"
    status: int = HTTPStatus.OK
    modified_at: float | None = None
    location: str | None = None

    @property
    def etag(self) -> str:
        """A strong validator: a hash of the body."""
        return f'"{hashlib.sha256(self.body).hexdigest()[:20]}"'


class Site:
    """The demo folder as a function from URL path to answer.

    The paths are listed once, at the start, so that `..` cannot leave the folder. The files
    themselves are read for every request.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.files = dict(list_files(self.root))
        self.redirects = read_redirects(self.root / "_redirects")

    def answer(self, path: str, base: str) -> Answer:
        """Answer a decoded URL path; an unknown one gets the 404 page."""
        if path in self.redirects:
            target, status = self.redirects[path]
            return Answer(status=status, location=target)
        if month := MONTH_URL.fullmatch(path):
            return self._month(int(month[1]), int(month[2]))
        if path in self.files:
            return self._file(self.files[path], base)
        if f"{path}/" in self.files:
            return Answer(status=HTTPStatus.MOVED_PERMANENTLY, location=f"{quote(path)}/")
        return self._page("_404.html", HTTPStatus.NOT_FOUND, path=html.escape(path))

    def _file(self, file: Path, base: str) -> Answer:
        body = file.read_bytes()
        if file.name in WITH_PLACEHOLDER:
            body = body.replace(b"{base}", base.encode())
        content_type = CONTENT_TYPES.get(file.suffix, "application/octet-stream")
        return Answer(body, content_type, modified_at=file.stat().st_mtime)

    def _month(self, year: int, month: int) -> Answer:
        title = f"{calendar.month_name[month]} {year}"
        return self._page(
            "_calendar.html",
            title=title,
            description=f"{title} in the Gossamer Almanac, one page of a calendar without end.",
            note=NOTES[month - 1],
            table=month_table(year, month),
            links=month_links(year, month),
        )

    def _page(self, template: str, status: int = HTTPStatus.OK, **values: str) -> Answer:
        text = (self.root / template).read_text(encoding="utf-8")
        return Answer(string.Template(text).substitute(values).encode(), status=status)


def list_files(root: Path) -> Iterator[tuple[str, Path]]:
    """Every URL path and its file; index.html also has the path of its folder."""
    for file in sorted(root.rglob("*")):
        parts = file.relative_to(root).parts
        if file.is_dir() or any(part.startswith((".", "_")) for part in parts):
            continue
        path = "/" + "/".join(parts)
        yield path, file
        if file.name == "index.html":
            yield path.removesuffix("index.html"), file


def read_redirects(file: Path) -> dict[str, tuple[str, int]]:
    """Parse lines of `from to status`; a missing file means no redirects."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    rules = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return {source: (target, int(status)) for source, target, status in rules}


def month_table(year: int, month: int) -> str:
    """The days of a month as an HTML table, weeks beginning on Monday."""
    heads = "".join(f'<th scope="col">{day}</th>' for day in calendar.day_abbr)
    weeks = "\n".join(
        "<tr>" + "".join(f"<td>{day or ''}</td>" for day in week) + "</tr>"
        for week in calendar.Calendar().monthdayscalendar(year, month)
    )
    head, body = f"<thead><tr>{heads}</tr></thead>", f"<tbody>\n{weeks}\n</tbody>"
    return f'<table class="month">\n{head}\n{body}\n</table>'


def month_links(year: int, month: int) -> str:
    """Links to the previous and the next month: a crawler trap."""
    return "\n".join(
        month_link(year * 12 + month - 1 + step, relation, label)
        for step, relation, label in ((-1, "prev", "Previous"), (1, "next", "Next"))
    )


def month_link(months: int, relation: str, label: str) -> str:
    """A link to a month counted from year 0; there is none before that."""
    if months < 0:
        return ""
    year, month = divmod(months, 12)
    name = f"{calendar.month_name[month + 1]} {year}"
    url = f"/calendar/{year:04}/{month + 1:02}/"
    return f'<a class="{relation}" rel="{relation}" href="{url}"><span>{label}</span>{name}</a>'


class Handler(BaseHTTPRequestHandler):
    """Serves a Site over HTTP/1.1 with keep-alive."""

    protocol_version = "HTTP/1.1"
    server_version = "GossamerDemo/1"
    disable_nagle_algorithm = True
    timeout = 30
    server: DemoServer

    def do_GET(self) -> None:
        """Answer with headers and body."""
        self._send(self._answer(), with_body=True)

    def do_HEAD(self) -> None:
        """Answer as for GET, without the body."""
        self._send(self._answer(), with_body=False)

    def _answer(self) -> Answer:
        path = unquote(self.path.partition("?")[0])
        answer = self.server.site.answer(path, self._base())
        if answer.status == HTTPStatus.OK and self._is_current(answer):
            return replace(answer, status=HTTPStatus.NOT_MODIFIED)
        return answer

    def _base(self) -> str:
        """The base URL as the client wrote it, so that localhost stays localhost."""
        host = self.headers.get("Host", "")
        return f"http://{host}" if PLAIN_HOST.fullmatch(host) else self.server.base

    def _is_current(self, answer: Answer) -> bool:
        """Whether the client has this version. An ETag outranks a date (RFC 9110, 13.2.2)."""
        if (tags := self.headers.get("If-None-Match")) is not None:
            held = {tag.strip().removeprefix("W/") for tag in tags.split(",")}
            return "*" in held or answer.etag in held
        since = parse_date(self.headers.get("If-Modified-Since"))
        if since is None or answer.modified_at is None:
            return False
        return int(answer.modified_at) <= since

    def _send(self, answer: Answer, *, with_body: bool) -> None:
        is_unchanged = answer.status == HTTPStatus.NOT_MODIFIED
        self.send_response(answer.status)
        if not is_unchanged:
            self.send_header("Content-Type", answer.content_type)
            self.send_header("Content-Length", str(len(answer.body)))
        if answer.status in (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED):
            self.send_header("ETag", answer.etag)
        if answer.modified_at is not None:
            self.send_header("Last-Modified", formatdate(answer.modified_at, usegmt=True))
        if answer.location is not None:
            self.send_header("Location", answer.location)
        self.end_headers()
        if with_body and not is_unchanged:
            self.wfile.write(answer.body)

    def log_message(self, format: str, *args: object) -> None:
        """Do not log requests: the crawler's own log is enough."""


def parse_date(value: str | None) -> float | None:
    """An HTTP date as epoch seconds; None if it is missing or invalid."""
    try:
        return parsedate_to_datetime(value).timestamp() if value else None
    except (ValueError, OverflowError):
        return None


class DemoServer(ThreadingHTTPServer):
    """A threading server of one site on loopback."""

    request_queue_size = 64

    def __init__(self, port: int, root: Path) -> None:
        self.site = Site(root)
        super().__init__((ADDRESS, port), Handler)

    @property
    def base(self) -> str:
        """The base URL of the site."""
        return f"http://{ADDRESS}:{self.server_port}"

    def server_bind(self) -> None:
        """Bind without HTTPServer's reverse DNS lookup, which can take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = ADDRESS, self.socket.getsockname()[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that hang up; report everything else as usual."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


@contextlib.contextmanager
def serve_demo(port: int = 0, root: Path = ROOT) -> Iterator[str]:
    """Serve the demo site from a thread during the `with` block; yields its base URL."""
    with DemoServer(port, root) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server.base
        finally:
            server.shutdown()
            thread.join()


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The settings given on the command line."""
    parser = argparse.ArgumentParser(
        description="Serve the Gossamer Almanac, a small website to crawl, on this machine only.",
        epilog="Try: curl -i http://127.0.0.1:8800/old-index.html (a redirect), /robots.txt, "
        "/calendar/2026/11/ (a trap). /about.html lists the other special cases.",
    )
    parser.add_argument(
        "--port",
        type=int,
        default=PORT,
        help=f"TCP port on {ADDRESS}; 0 picks a free one (default: %(default)s)",
    )
    parser.add_argument(
        "--root", type=Path, default=ROOT, help="folder to serve (default: the demo's pages)"
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted. Exit codes: 0 stopped, 2 wrong usage or port in use."""
    options = parse_arguments(arguments)
    if not (options.root / "index.html").is_file():
        print(f"No index.html in {options.root}: name a site with --root.", file=sys.stderr)
        return 2
    try:
        server = DemoServer(options.port, options.root)
    except (OSError, OverflowError) as error:
        print(explain(error, options.port), file=sys.stderr)
        return 2
    with server, contextlib.suppress(KeyboardInterrupt):
        print(f"The Gossamer Almanac is at {server.base}/ (Ctrl-C stops it)", flush=True)
        server.serve_forever()
    return 0


def explain(error: Exception, port: int) -> str:
    """What to do about a port that cannot be used."""
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return f"Port {port} is in use: stop the other server, or choose another, e.g. --port 0."
    return f"Cannot listen on port {port} ({error}): choose one from 1024 to 65535 with --port."


if __name__ == "__main__":
    sys.exit(main())
