"""Does a template that never ends cost its pages, and nothing else?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.commands import run_here
from tests.e2e.crawls import crawl
from tests.sites.generated import Resource, Site

if TYPE_CHECKING:
    from tests.sites.generated import Server

ENDLESS = "//*[count(//*[count(//*[count(//*) > 0]) > 0]) > 0]"


def publish(server: Server) -> Site:
    origin = server.origin()
    site = Site(origin)
    links = "".join(f"<a href=/{name}>{name}</a>" for name in ("bad", "good", "c/1"))
    site.resources |= {
        f"{origin}/": Resource(body=links.encode()),
        f"{origin}/bad": Resource(body=b"<title>b</title>" + b"<p>x" * 4_000),
        f"{origin}/good": Resource(body=b"<title>g</title><p>All is well."),
        f"{origin}/c/1": Resource(body=b"<title>c</title><ul><li>one<li>two</ul>"),
    }
    return server.publish(site)


def test_a_selector_without_end_costs_the_page_that_it_is_for(server, data, tmp_path):
    site = publish(server)
    bad, good = tmp_path / "bad.toml", tmp_path / "good.toml"
    bad.write_text(f'match = "{site.origin}/bad"\n[fields.x]\nselect = "{ENDLESS}"\n')
    good.write_text(f'match = "{site.origin}/c/*"\nitems = "li"\n[fields.x]\nselect = "."\n')

    done = crawl(site.seed, data, "--template", bad, "--template", good)

    assert done["by_reason"] == {"document": 3, "template-ended": 1}
    said = run_here("explain-url", "--data", data, f"{site.origin}/bad").stdout
    assert "reading it by its template would not end" in said


@pytest.mark.long
def test_a_template_without_end_for_every_page_does_not_stop_the_crawl(server, data, tmp_path):
    site = publish(server)
    origin, names = site.origin, [f"bad/{n}" for n in range(30)]
    links = "".join(f"<a href=/{name}>{name}</a>" for name in names).encode()
    site.resources[f"{origin}/"] = Resource(body=links)
    slow = site.resources[f"{origin}/bad"]
    site.resources |= {
        f"{origin}/{name}": Resource(body=slow.body + name.encode()) for name in names
    }
    bad = tmp_path / "bad.toml"
    bad.write_text(f'match = "{origin}/bad/*"\n[fields.x]\nselect = "{ENDLESS}"\n')

    done = crawl(site.seed, data, "--template", bad)

    ended = done["by_reason"]["template-ended"]
    assert 3 <= ended <= 3 + 3 * (os.cpu_count() or 1), "those that were being read meanwhile"
    assert done["by_reason"]["template-set-aside"] + ended == 30
    health = run_here("template", "--data", data, "health")
    assert health.returncode == 1
    assert "it is set aside" in health.stdout
