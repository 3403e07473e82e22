"""Does `gossamer suggest` complete, on this machine and from a stack?"""

from __future__ import annotations

import pytest

from gossamer.core.crawl.url_state import State
from gossamer.core.ids import document_id
from gossamer.core.urls import url_id
from tests.commands import judged_folder, run_here, said
from tests.indexing import index_all, writer_of
from tests.unit.entrypoints.moto_stack import add_document, add_url, home, result

PAGE = "http://a.test/"


def test_a_title_of_a_stack_is_completed(capsys, stack):
    add_url(PAGE, State.PARSED, "document")
    add_document(PAGE, "Silk road")
    opened = home()
    index_all(writer_of(opened.index), opened.documents.read([document_id(url_id(PAGE))]))

    found = result(capsys, "suggest", "roa")

    assert found["suggestions"] == [{"text": "Silk road", "kind": "title", "url": PAGE}]


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    data = tmp_path_factory.mktemp("suggest") / "data"
    said("index", "--data", data, judged_folder(data.parent / "judged"))
    return data


def test_a_title_of_this_machine_is_completed(judged):
    letters = "abcdefghijklmnopqrstuvwxyz"
    found = [each for a in letters for each in said("suggest", "--data", judged, a)["suggestions"]]
    titles = [each["text"] for each in found if each["kind"] == "title"]

    shown = run_here("suggest", "--data", judged, titles[0][:3]).stdout

    assert f"{titles[0]}  " in shown


def test_nothing_is_said_so(judged):
    assert run_here("suggest", "--data", judged, "qqqqq").stdout == "nothing begins so\n"


def test_a_limit_out_of_range_is_refused(judged):
    done = run_here("suggest", "--data", judged, "--limit", "0", "a")

    assert done.returncode == 2
    assert "--limit goes from 1 to 100" in done.stderr
