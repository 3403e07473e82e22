"""Do ranks reach the results, and do pages say who links to them?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.core.ids import DocumentId
from gossamer.entrypoints.api.services import local_search
from gossamer.entrypoints.demo.site import JOB, serve_demo
from gossamer.settings import Settings
from tests.e2e.crawls import crawl, run
from tests.e2e.test_demo import free_port

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def ranked(tmp_path_factory) -> tuple[Path, dict[str, Any]]:
    """The demo site, crawled, indexed and ranked, and what the ranking said."""
    data = tmp_path_factory.mktemp("ranked")
    with serve_demo(free_port()) as base:
        crawl(f"{base}/", data, "--config", JOB)
    assert run("index", "--data", data).returncode == 0
    done = run("rank", "--data", data, "--json")
    assert done.returncode == 0, done.stderr
    return data, json.loads(done.stdout)


def test_the_ranking_says_what_it_did(ranked):
    _, said = ranked

    assert said["nodes"] >= 60
    assert said["links"] > said["nodes"]
    assert said["converged"]
    assert 0 < said["iterations"] <= 100
    assert said["anchors_changed"] > 0


def test_ranks_are_used_and_explained(ranked):
    data, _ = ranked

    found = json.loads(run("search", "silk", "--explain", "--data", data, "--json").stdout)
    text = run("search", "silk", "--explain", "--data", data).stdout

    parts = [hit["explain"] for hit in found["hits"]]
    assert any(part["rank"] > 0 and part["rank_score"] > 0 for part in parts)
    assert "PageRank (" in text
    for hit, part in zip(found["hits"], parts, strict=True):
        total = sum(term["score"] for term in part["terms"]) + part["rank_score"]
        assert hit["score"] == pytest.approx(total, rel=1e-6)


def test_a_document_says_who_links_to_it_and_where_it_leads(ranked):
    data, _ = ranked
    found = json.loads(run("search", "silk", "--data", data, "--json").stdout)

    search = local_search(Settings(data=str(data)))
    views = [search.document(DocumentId(bytes.fromhex(hit["id"]))) for hit in found["hits"]]

    linked = [view for view in views if view is not None and view.inlinks.total]
    assert linked
    for view in linked:
        assert 0 < len(view.inlinks.links) <= min(50, view.inlinks.total)
        assert all(link.url.startswith("http") for link in view.inlinks.links)
    assert any(view is not None and view.outlinks for view in views)


def test_ranking_again_changes_nothing(ranked):
    data, said = ranked

    again = json.loads(run("rank", "--data", data, "--json").stdout)

    assert again["anchors_changed"] == 0
    assert (again["nodes"], again["links"]) == (said["nodes"], said["links"])


@pytest.mark.parametrize("flags", [("--damping", "1"), ("--internal", "2")])
def test_what_cannot_be_weighed_is_refused(ranked, flags):
    data, _ = ranked

    refused = run("rank", "--data", data, *flags)

    assert refused.returncode == 2
    assert flags[0] in refused.stderr
