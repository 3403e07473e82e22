"""Does `gossamer rank` refuse what cannot be weighed, and tell what it did?"""

from __future__ import annotations

from argparse import Namespace

import pytest

from gossamer import homes
from gossamer.core.crawl.url_record import Discovery
from gossamer.core.errors import ConfigurationError
from gossamer.core.page.document import Document
from gossamer.core.urls import host_of, url_id
from gossamer.entrypoints.cli.rank import rank_home, weighing_of
from gossamer.entrypoints.lambdas.rank import Weighing
from gossamer.entrypoints.local import session
from gossamer.messages import Link
from gossamer.settings import Settings
from tests.commands import judged_folder, run_here, said
from tests.indexing import index_home


@pytest.mark.parametrize(("damping", "internal"), [(1.0, 1.0), (-0.1, 1.0), (0.85, 1.1)])
def test_weights_beyond_their_bounds_are_refused(damping, internal):
    with pytest.raises(ConfigurationError):
        weighing_of(Namespace(damping=damping, internal=internal, ranks=""))


def test_a_collection_without_links_is_ranked_too(tmp_path):
    data = tmp_path / "data"
    said("index", "--data", data, judged_folder(tmp_path / "judged"))

    assert said("rank", "--data", data)["links"] == 0
    assert "pages ranked by 0 links" in run_here("rank", "--data", data).stdout


def test_each_stage_of_ranking_is_told(data_with_links):
    told: list[str] = []

    with session.locked(Settings(data=data_with_links), "rank") as home:
        rank_home(home, Settings(data=data_with_links), Weighing(), told.append)

    assert "2 pages" in told
    assert "2 links, iteration 1" in told
    assert told[-1] == "2 documents indexed"


@pytest.fixture
def data_with_links(tmp_path):
    """Two pages that link to each other, indexed and not ranked."""
    home, urls = homes.open_home(Settings(data=str(tmp_path))), ("http://a.test/", "http://b.test/")
    for url, other in (urls, urls[::-1]):
        found = [Discovery(url_id(url), url, host_of(url), 0)]
        home.urls.add(found, b"", 1.0)
        home.documents.put(url_id(url), [Document(url=url, title=url, text="silk")], 1.0)
        home.edges.put(url_id(url), [Link(other, anchor="the other one")], 0, 1)
    index_home(home)
    home.close()
    return str(tmp_path)
