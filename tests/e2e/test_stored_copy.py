"""Can a page that was crawled be read again from the archive, over HTTP?"""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request

from tests.e2e.crawls import crawl
from tests.sites.generated import Resource, Site

SECONDS = 60.0  # for what takes milliseconds, however busy the machine is
PAGE = b"""<html lang=en><head><title>Orb webs</title><script>alert(1)</script></head><body><main>
<h1>Orb webs</h1><p>An orb web is spun by a spider within an hour.</p><h2>The hub</h2>
<p onclick=alert(2)>It is spun first, of dry silk.</p></main></body></html>"""


def test_a_crawled_page_is_shown_as_it_was_and_as_markdown(server, data):
    origin = server.origin()
    site = server.publish(Site(origin, resources={f"{origin}/": Resource(body=PAGE)}))
    crawl(site.seed, data)
    subprocess.run(  # as people type it
        [sys.executable, "-m", "gossamer.entrypoints.cli.main", "index", "--data", data], check=True
    )
    command = ["-m", "gossamer.entrypoints.cli.main", "serve", "--port", "0", "--processes", "2"]
    with subprocess.Popen(
        [sys.executable, *command, "--data", str(data)], stderr=subprocess.PIPE, text=True
    ) as program:
        try:
            assert program.stderr
            address = program.stderr.readline().split()[2]
            id = json.loads(get(f"{address}search?q=orb")[0])["hits"][0]["id"]

            copy, headers = get(f"{address}documents/{id}/cached")
            markdown, _ = get(f"{address}documents/{id}.md")
        finally:
            program.kill()

    assert "<p>It is spun first, of dry silk.</p>" in copy
    assert "alert" not in copy
    assert site.seed in copy
    assert headers["Content-Security-Policy"].startswith("sandbox;")
    assert markdown.startswith(f"# Orb webs\n\n<{site.seed}>")
    assert "\n\n## The hub\n\nIt is spun first, of dry silk.\n" in markdown


def get(address):
    with urllib.request.urlopen(address, timeout=SECONDS) as answer:
        return answer.read().decode(), answer.headers
