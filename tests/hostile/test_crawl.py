"""Does a whole crawl survive a hostile web: every kind of hostility a URL, one crawl over all?

The real command with its real patience: a server may keep us waiting for 20 seconds at the most.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from gossamer.entrypoints.audit.records import WarcReading
from tests.e2e.crawls import GOSSAMER, audited, crawl_flags, environment, exported, warc_files
from tests.hostile.pages import LIES, PAGES, ROBOTS, SITEMAPS, documents, sitemaps
from tests.hostile.server import BEHAVIOURS, HostileServer, served
from tests.hostile.shapes import SHAPES
from tests.hostile.wire import HangUp, leads_to, sends

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator

    from gossamer.entrypoints.audit.records import AuditedRequest
    from tests.hostile.wire import Behaviour, Wire

ROOT = Path(__file__).parents[2]
LONGEST_WAIT = 20.0  # seconds after which a server that keeps us waiting is given up
MAX_CPU = 60.0  # seconds, of all processes; it takes 6 (measured 2026)
MAX_PEAK = 450 * 1024  # kilobytes, of the largest process; it takes 300 MB (measured 2026)
MAIN, SITEMAP_HOST = "127.0.0.1", "127.0.0.2"
UNSIGNED, NOT_TLS, DEAF, CLOSED = "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"
SILENT, RUDE = "127.0.0.7", "127.0.0.8"
ROBOTS_HOSTS = {name: f"127.0.0.{number}" for number, name in enumerate(ROBOTS, 20)}
ADDRESSES = [MAIN, SITEMAP_HOST, NOT_TLS, SILENT, RUDE, *ROBOTS_HOSTS.values()]

READ = ("parsed", "document")
FATES = {
    "/hang": ("failed", "timeout"),
    "/drip": ("failed", "too-slow"),
    "/drip-headers": ("failed", "too-slow"),
    "/short": ("failed", "truncated-body"),
    "/short-chunked": ("failed", "truncated-body"),
    "/half-gzip": ("failed", "truncated-body"),
    "/long": READ,
    "/both-lengths": READ,
    "/no-length": READ,
    "/reset": ("failed", "connection-reset"),
    "/reset-at-once": ("failed", "connection-reset"),
    "/endless": ("excluded", "too-large"),
    "/huge": ("excluded", "too-large"),
    "/video": ("excluded", "content-type"),
    "/untyped-binary": ("excluded", "content-type"),
    "/gzip-bomb": ("failed", "decompression-bomb"),
    "/deflate-bomb": ("failed", "decompression-bomb"),
    "/br-bomb": ("failed", "decompression-bomb"),
    "/zstd-bomb": ("failed", "decompression-bomb"),
    "/endless-gzip": ("failed", "decompression-bomb"),
    "/not-gzip": ("failed", "undecodable-body"),
    "/twice-gzip": READ,
    "/header-flood": ("failed", "header-flood"),
    "/header-line": ("failed", "header-flood"),
    "/long-header": ("failed", "header-flood"),
    "/endless-trailers": ("failed", "header-flood"),
    "/endless-extension": ("failed", "header-flood"),
    "/endless-hints": ("failed", "header-flood"),
    "/garbage": ("failed", "malformed-response"),
    "/nul-header": ("failed", "malformed-response"),
    "/switch": ("failed", "malformed-response"),
}
FATES |= {
    path: ("failed", shape.fault)
    for path, shape in SHAPES.items()
    if shape.fault and shape.fault != "too-slow"  # one of those is enough
}
FATES |= {"/empty-with-body": ("excluded", "http-204")}
FATES |= dict.fromkeys([*PAGES, *LIES], READ) | {"/picture": ("excluded", "not-text")}

BAD_REDIRECT = ("failed", "bad-redirect")
REDIRECTS = {
    "/to/file": ("file:///etc/passwd", BAD_REDIRECT),
    "/to/javascript": ("javascript:alert(1)", BAD_REDIRECT),
    "/to/data": ("data:text/html,hello", BAD_REDIRECT),
    "/to/nothing": ("", BAD_REDIRECT),
    "/to/itself": ("/to/itself", ("failed", "redirect-loop")),
    "/to/loop": ("/to/loop/back", ("redirected", "redirect")),
    "/to/loop/back": ("/to/loop", ("failed", "redirect-loop")),
}
UNSAFE = {  # never, although this crawl allows private addresses
    "/to/metadata": "http://169.254.169.254/plain",
    "/to/metadata/decimal": "http://2852039166/decimal",
    "/to/metadata/octal": "http://0251.0376.0251.0376/octal",
    "/to/metadata/hexadecimal": "http://0xa9fea9fe/hexadecimal",
    "/to/metadata/mapped": "http://[::ffff:169.254.169.254]/mapped",
    "/to/metadata/nat": "http://[64:ff9b::a9fe:a9fe]/nat",
    "/to/nowhere": "http://0/nowhere",
}
REDIRECTS |= {path: (to, ("redirected", "redirect")) for path, to in UNSAFE.items()}
FATES |= {path: fate for path, (_, fate) in REDIRECTS.items()}


class Behaviours(dict[str, "Behaviour"]):
    """404 for the rest."""

    def __missing__(self, path: str) -> Behaviour:
        return sends(b"not here", status="404 Not Found")


async def rude(wire: Wire) -> None:
    wire.reset()
    raise HangUp


def behaviours() -> Behaviours:
    after = {f"/after{path}": sends(f"<title>after {path}</title>".encode()) for path in FATES}
    redirects = {path: leads_to(to) for path, (to, _) in REDIRECTS.items()}
    hosts = {f"{ROBOTS_HOSTS[name]}/robots.txt": robots for name, robots in ROBOTS.items()}
    hosts |= {
        f"{host}/page": sends(f"<title>{host}</title>".encode())
        for host in (SITEMAP_HOST, *ROBOTS_HOSTS.values())
    }
    silence = {f"{SILENT}/robots.txt": BEHAVIOURS["/hang"], f"{RUDE}/robots.txt": rude}
    return Behaviours(BEHAVIOURS | documents() | redirects | after | hosts | silence)


@dataclass(frozen=True)
class Crawled:
    """What is left of the crawl."""

    server: HostileServer
    secure: HostileServer
    data: Path
    report: dict[str, Any]
    peak: int
    cpu: float
    fates: dict[str, tuple[str, str]]
    targets: dict[str, str]

    def fate(self, path: str, host: str = MAIN) -> tuple[str, str]:
        return self.fates[self.server.url(path, host=host)]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, tls: ssl.SSLContext) -> Iterator[Crawled]:
    folder = tmp_path_factory.mktemp("hostile")
    answers = behaviours()
    server = HostileServer(addresses=ADDRESSES, behaviours=answers)
    secure = HostileServer(tls, [UNSIGNED])
    with ExitStack() as stack:
        stack.enter_context(served(server, secure))
        deaf = stack.enter_context(socket.socket())
        deaf.bind((DEAF, server.port))
        deaf.listen(0)
        full = stack.enter_context(socket.socket())
        full.connect(deaf.getsockname())  # fills the backlog: all others are half-open
        answers |= sitemaps(SITEMAP_HOST, server.port)
        answers["/"] = sends(front_page(server, secure).encode())
        yield crawl(folder, server, secure)


def front_page(server: HostileServer, secure: HostileServer) -> str:
    """A link to each kind of hostility, and behind each a link to a page that is healthy."""
    paths = [path for kind in FATES for path in (kind, f"/after{kind}")]
    hosts = (SITEMAP_HOST, DEAF, CLOSED, SILENT, RUDE, *ROBOTS_HOSTS.values())
    urls = [server.url("/page", host=host) for host in hosts]
    urls += [server.url("/secret", host=ROBOTS_HOSTS["huge"])]
    urls += [secure.url("/page", host=UNSIGNED)]
    urls += [server.url("/page", host=NOT_TLS).replace("http:", "https:")]
    links = (f'<a href="{target}">{target}</a>' for target in [*urls, *paths])
    return f"<title>mixed company</title>{''.join(links)}"


def crawl(folder: Path, server: HostileServer, secure: HostileServer) -> Crawled:
    data, job, peak = folder / "data", folder / "job.toml", folder / "peak"
    job.write_text("retries = 0\n[scope]\nanywhere = true\n[traps]\nper_pattern = 100\n")
    flags = crawl_flags(server.url("/"), data, "--config", job)
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.peak", str(peak), GOSSAMER, *flags],
        capture_output=True,
        text=True,
        env=environment(),
        cwd=ROOT,
    )
    assert (done.returncode, done.stderr) == (0, "")
    rows = exported(data, "urls")
    memory, cpu = peak.read_text().split()
    return Crawled(
        server,
        secure,
        data,
        json.loads(done.stdout),
        int(memory),
        float(cpu),
        {row["url"]: (row["state"], row["reason"]) for row in rows},
        {row["url"]: row["target"] for row in rows},
    )


@pytest.mark.parametrize("path", FATES)
def test_a_hostile_url_ends_in_a_named_state_and_the_next_proceeds(crawled, path):
    assert crawled.fate(path) == FATES[path]
    assert crawled.fate(f"/after{path}") == READ


@pytest.mark.parametrize("path", PAGES)
def test_what_a_hostile_page_links_to_is_found(crawled, path):
    assert crawled.fate(f"/behind{path}") == READ


@pytest.mark.parametrize("path", UNSAFE)
def test_a_redirect_to_an_unsafe_address_is_not_followed(crawled, path):
    target = crawled.targets[crawled.server.url(path)]

    assert target.endswith("/" + UNSAFE[path].rpartition("/")[2])
    assert crawled.fates[target] == ("failed", "unsafe-address")


@pytest.mark.parametrize(
    ("host", "fate"),
    [
        (DEAF, ("failed", "robots-unreachable")),
        (CLOSED, ("failed", "robots-unreachable")),
        (SILENT, ("failed", "robots-unreachable")),
        (RUDE, ("failed", "robots-unreachable")),
        (SITEMAP_HOST, READ),
        (ROBOTS_HOSTS["huge"], READ),
        (ROBOTS_HOSTS["bomb"], READ),
        (ROBOTS_HOSTS["elsewhere"], ("failed", "unsafe-address")),
        (ROBOTS_HOSTS["binary"], READ),
        (ROBOTS_HOSTS["wildcards"], READ),
    ],
    ids=["half-open", "closed", "silent", "rude", "sitemaps", *ROBOTS],
)
def test_a_hostile_host_ends_in_a_named_state(crawled, host, fate):
    assert crawled.fate("/page", host) == fate


def test_what_a_huge_robots_txt_says_at_its_beginning_is_obeyed(crawled):
    assert crawled.fate("/secret", ROBOTS_HOSTS["huge"]) == ("excluded", "robots")


def test_an_unsigned_certificate_ends_its_host(crawled):
    url = crawled.secure.url("/page", host=UNSIGNED)

    assert crawled.fates[url] == ("failed", "tls-certificate")
    assert crawled.secure.requests == []


def test_a_host_that_does_not_speak_tls_is_given_up(crawled):
    url = crawled.server.url("/page", host=NOT_TLS).replace("http:", "https:")

    assert crawled.fates[url] == ("failed", "robots-unreachable")


@pytest.mark.parametrize("path", SITEMAPS)
def test_a_hostile_sitemap_is_asked_for_and_does_not_come_back_for_ever(crawled, path):
    asked = sum(request.startswith(f"GET {path} ") for request in crawled.server.requests)

    assert asked == 1


def test_of_hostile_sitemaps_the_good_one_is_read_and_nothing_is_made_up(crawled):
    own = crawled.server.url("/", host=SITEMAP_HOST)
    found = {url.removeprefix(own) for url in crawled.fates if url.startswith(own)}

    assert found - {path[1:] for path in SITEMAPS} == {"page", "from-sitemap"}
    assert crawled.fate("/from-sitemap", SITEMAP_HOST) == READ


def test_of_a_hundred_thousand_links_a_quota_is_followed(crawled):
    fates = [fate for url, fate in crawled.fates.items() if "/m/" in url]

    assert fates.count(("gone", "http-404")) == 100
    assert fates.count(("excluded", "pattern-quota")) == len(fates) - 100 > 10_000


def records(data: Path) -> int:
    """How many records another's reader finds whole. It trips over br, so bodies stay as sent."""
    count = 0
    for path in warc_files(data):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.raw_stream.read()
                count += 1
    return count


def test_the_ledger_explains_everything(crawled):
    report = crawled.report

    assert (report["state"], report["unexplained"], report["dead_letters"]) == ("finished", 0, 0)
    assert records(crawled.data) > 2 * len(FATES)
    assert audited(crawled.data).violations == 0


def requests(data: Path) -> list[AuditedRequest]:
    return [request for path in warc_files(data) for request in WarcReading(path)]


def test_no_server_keeps_the_crawl_waiting_for_long(crawled):
    waits = [asked.ended_at - asked.started_at for asked in requests(crawled.data)]

    assert max(waits) < 2 * LONGEST_WAIT


def test_servers_that_keep_us_waiting_are_waited_for_side_by_side(crawled):
    urls = {crawled.server.url(path) for path in ("/hang", "/drip", "/drip-headers")}
    waits = [asked for asked in requests(crawled.data) if asked.url in urls]

    assert len(waits) == len(urls)
    assert max(asked.started_at for asked in waits) < min(asked.ended_at for asked in waits)


def test_the_crawl_takes_bounded_work(crawled):
    assert crawled.cpu < MAX_CPU


def test_the_crawl_takes_bounded_memory(crawled):
    assert crawled.peak < MAX_PEAK


def test_the_peak_of_a_process_is_that_of_its_largest_child(tmp_path):
    grandchild = "b'x' * 300_000_000"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grandchild!r}])"
    command = [sys.executable, "-m", "tests.hostile.peak", str(tmp_path / "peak")]

    subprocess.run([*command, sys.executable, "-c", child], check=True, cwd=ROOT)

    assert int((tmp_path / "peak").read_text().split()[0]) > 280_000
