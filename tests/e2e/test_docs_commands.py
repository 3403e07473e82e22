"""Does every command of the tutorial and the how-tos run as it is written there?

Blocks of `sh` run in their order, all pages in one folder, the tutorial first: its crawl is the one
that the other pages search, copy and serve. What differs from a reader's machine:

1. https://example.org/ is a generated site on loopback, example.net another host of it.
2. A script stands for `gossamer` and adds what loopback needs: `--allow-private --delay 0` to crawl
   and run, `--allow-private` to begin, try or learn a template, and a free port to run and serve,
   which takes the place of 8080 in addresses.
3. `gossamer run` and `gossamer serve` go on until Ctrl-C. They are alone in a block, which is over
   when they say where the page is; Ctrl-C comes before the next of them and after each page.

Other blocks do not run: what they call of ours must parse, nginx reads its file, systemd its units.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gossamer.entrypoints.cli.main import COMMANDS, parser
from tests.e2e.crawls import GOSSAMER, PATIENCE, await_that, environment
from tests.e2e.test_demo import free_port
from tests.sites.generated import SECOND, generate, serve, star

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [DOCS / "tutorial.md", *sorted((DOCS / "how-to").glob("*.md"))]
# They have sites of their own: test_worked_examples.
WORKED = ("questions-and-votes", "shop", "table-of-a-ranking")
PROGRAMS = ("bash", "curl", "sqlite3", "tar")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.DOTALL)
UNIT = re.compile(
    r"`/etc/systemd/system/([\w.-]+)`:\n\n```ini\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
CALL = re.compile(rf"(?:^|[\s/])gossamer ((?:{'|'.join(COMMANDS)})\b.*)$", re.M)
SERVERS = ("gossamer run ", "gossamer serve")
SCRIPT = """#!/bin/sh
case "$1" in
    crawl) exec {program} "$@" --allow-private --delay 0 ;;
    run) exec {program} "$@" --allow-private --delay 0 --port {port} ;;
    serve) exec {program} "$@" --port {port} ;;
    template) case "$2" in new | test | learn) exec {program} "$@" --allow-private ;; esac ;;
esac
exec {program} "$@"
"""


def blocks(page: Path, kind: str) -> list[str]:
    return [text for name, text in BLOCK.findall(page.read_text()) if name == kind]


@dataclass
class Shell:
    """Where the pages are followed, and the server that runs there."""

    folder: Path
    port: int
    names: dict[str, str]  # what a reader's address is here
    server: subprocess.Popen[bytes] | None = None
    done: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        script = self.folder / "bin" / "gossamer"
        script.parent.mkdir(exist_ok=True)
        script.write_text(SCRIPT.format(program=shlex.quote(GOSSAMER), port=self.port))
        script.chmod(0o755)
        path = f"{script.parent}{os.pathsep}{os.environ['PATH']}"
        self.environment = environment() | {"PATH": path, "HOME": str(self.folder)}

    def follow(self, page: Path) -> None:
        """Run the blocks of a page."""
        try:
            for block in blocks(page, "sh"):
                if block.startswith(SERVERS):
                    self._start(self.here(block), f"{page.name}:\n{block}")
                else:
                    self.run(block, f"{page.name}:\n")
                self.done.append(block)
        finally:
            self.stop()

    def here(self, text: str) -> str:
        """A text of a page with the addresses and the port of this machine."""
        for name, value in self.names.items():
            text = text.replace(name, value)
        return text.replace(":8080", f":{self.port}")

    def run(self, block: str, what: str = "") -> str:
        """Run the commands of a block, which must succeed; returns what they print."""
        text = self.here(block)
        what += text
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            cwd=self.folder,
            env=self.environment,
        )
        assert done.returncode == 0, f"{what}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr, f"{what}\n{done.stderr}"
        assert not re.search(r"^(0|no) results", done.stdout, re.MULTILINE), (
            f"{what}\n{done.stdout}"
        )
        return done.stdout

    def _start(self, text: str, what: str) -> None:
        self.stop()
        out, errors = self.folder / "server.out", self.folder / "server.err"
        with out.open("wb") as first, errors.open("wb") as second:
            self.server = subprocess.Popen(
                shlex.split(text),
                stdout=first,
                stderr=second,
                cwd=self.folder,
                env=self.environment,
                start_new_session=True,
            )
        # What `run` says when all is crawled; its server has said the same at the beginning.
        said = out if text.startswith("gossamer run") else errors
        server = self.server
        await_that(lambda: "Search at" in said.read_text() or server.poll() is not None, what)
        assert server.poll() is None, f"{what}\n{said.read_text()}"

    def stop(self) -> None:
        """Press Ctrl-C."""
        if self.server is not None:
            os.killpg(self.server.pid, signal.SIGINT)
            assert self.server.wait(PATIENCE) == 0
            self.server = None


@pytest.mark.long
def test_every_command_of_every_page_runs(tmp_path):
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        pytest.skip(f"{missing[0]} is not installed")
    with serve() as site:
        published = generate(1, site.port, 20, second=0)
        star(published, site.origin(SECOND), 5)
        site.publish(published)
        second = site.origin(SECOND)
        names = {"https://example.org/": published.seed, "https://example.net/": f"{second}/"}
        shell = Shell(tmp_path, free_port(), {**names, "example.net": SECOND})

        for page in PAGES:
            if page.stem not in WORKED:
                shell.follow(page)

    assert len(shell.done) > 20


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_other_command_of_ours_parses(page):
    for kind in ("console", "crontab", "ini", "sh"):
        lines = "\n".join(blocks(page, kind)).replace("\\\n", " ")
        for call in CALL.findall(lines):
            words = shlex.split(call.partition(" >")[0].partition(" #")[0])
            assert parser().parse_args(words).command.name == words[0]


def test_the_lines_for_cron_are_lines_of_cron():
    (table,) = blocks(DOCS / "how-to" / "cron.md", "crontab")
    lines = [line for line in table.splitlines() if not re.match(r"[A-Z]+=", line)]

    assert lines
    for line in lines:
        assert re.match(r"(?:[\d*/,-]+ ){5} */", line), line


def test_nginx_takes_the_configuration(tmp_path):
    nginx, openssl = shutil.which("nginx"), shutil.which("openssl")
    if nginx is None or openssl is None:
        pytest.skip("nginx or openssl is not installed")
    (server,) = blocks(DOCS / "how-to" / "reverse-proxy.md", "nginx")
    assert re.search(r"^limit_conn_zone .+;\n\nserver.+^ +limit_conn \w+ \d+;", server, re.M | re.S)
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subject = ["-subj", "/CN=search.example.org", "-days", "1", "-nodes"]
    made = [openssl, "req", "-x509", "-newkey", "rsa:2048", *subject]
    made += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)
    server = re.sub(r"/etc/letsencrypt/\S+/fullchain.pem", str(certificate), server)
    server = re.sub(r"/etc/letsencrypt/\S+/privkey.pem", str(key), server)
    server = re.sub(r"listen (\d+)", lambda _: f"listen 127.0.0.1:{free_port()}", server)
    where = f"pid {tmp_path}/pid; error_log {tmp_path}/errors;"
    temporary = "".join(
        f"{kind}_temp_path {tmp_path}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (tmp_path / "nginx.conf").write_text(
        f"{where} events {{}} http {{ access_log off; {temporary} {server} }}"
    )

    done = subprocess.run(
        [nginx, "-t", "-c", tmp_path / "nginx.conf"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


def test_systemd_takes_the_units(tmp_path):
    verify = shutil.which("systemd-analyze")
    if verify is None:
        pytest.skip("systemd-analyze is not installed")
    units = dict(UNIT.findall((DOCS / "how-to" / "systemd.md").read_text()))
    for name, text in units.items():
        (tmp_path / name).write_text(text.replace("/opt/gossamer/bin/gossamer", GOSSAMER))

    done = subprocess.run(
        [verify, "--man=no", "verify", *(tmp_path / name for name in units)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert len(units) == 3
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) not in done.stderr, done.stderr
