"""Do templates and pages that are made to be too much cost their pages, and nothing else?"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from gossamer.core.page.parts import MOST_DOCUMENTS
from tests.commands import run_here
from tests.e2e.crawls import crawl, exported
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


def test_pages_made_to_be_too_much_are_bounded_and_explained(server, data, tmp_path):
    origin = server.origin()
    site = Site(origin)
    pages = {
        "nested": "<ul><li>one " * 300,
        "cells": "<table>" + ("<tr>" + "<td>1" * 20) * 50_000,
        "bases": "<base href=/a/><base href=/b/><ul><li><a href=x>x</a></ul>",
        "none": "<p>Nothing is for sale.",
    }
    links = "".join(f"<a href=/p/{name}>{name}</a>" for name in pages)
    site.resources |= {f"{origin}/": Resource(body=links.encode())}
    site.resources |= {
        f"{origin}/p/{name}": Resource(body=f"<title>{name}</title>{body}".encode())
        for name, body in pages.items()
    }
    site.resources[f"{origin}/a/x"] = Resource(body=b"<title>x</title>where the first base leads")
    server.publish(site)
    shop = tmp_path / "shop.toml"
    fields = '[fields.x]\nselect = "."\n[fields.to]\nselect = "a"\ntype = "link"\n'
    shop.write_text(f'match = "{origin}/p/*"\nitems = "li, tr"\nurl = "to"\n{fields}')

    done = crawl(site.seed, data, "--template", shop)

    assert done["by_reason"] == {"document": 5, "template-empty": 1}
    rows = [row for row in exported(data, "documents") if row.get("template") == "shop"]
    found = Counter(row["url"].rpartition("/")[2] for row in rows)
    assert found.pop("bases") == 1
    assert {name: 0 < count <= MOST_DOCUMENTS for name, count in found.items()} == {
        "nested": True,
        "cells": True,
    }
    (to,) = (row["link"] for row in rows if row["url"].endswith("bases"))
    assert to == f"{origin}/a/x"
