"""Does `gossamer search` find pages of a stack?"""

from __future__ import annotations

import shutil

import pytest

from gossamer.core.crawl.url_state import State
from gossamer.core.ids import document_id
from gossamer.core.urls import url_id
from tests.commands import judged_folder, run_here, said
from tests.indexing import index_all, writer_of
from tests.unit.entrypoints.moto_stack import STACK, add_document, add_url, home, result, run

PAGE = "http://a.test/"


def test_what_was_indexed_is_found(capsys, stack):
    add_url(PAGE, State.PARSED, "document")
    add_document(PAGE, "Silk")
    opened = home()
    versions = opened.documents.read([document_id(url_id(PAGE))])
    index_all(writer_of(opened.index), versions)

    found = result(capsys, "search", "silk")

    assert [hit["url"] for hit in found["hits"]] == [PAGE]


def test_results_are_filtered_counted_and_sorted_by_flags(capsys, stack):
    opened = home()
    for name in ("a", "b"):
        url = f"http://{name}.test/"
        add_url(url, State.PARSED, "document")
        add_document(url, "Silk")
    ids = [document_id(url_id(f"http://{name}.test/")) for name in ("a", "b")]
    index_all(writer_of(opened.index), opened.documents.read(ids))

    found = result(
        capsys, "search", "silk", "--filter=host:a.test", "--filter", "-lang:xx",
        "--facets", "site,kind", "--facet=year", "--sort", "-published", "--fields", "*",
    )  # fmt: skip

    assert [hit["url"] for hit in found["hits"]] == ["http://a.test/"]
    assert list(found["facets"]) == ["site", "kind", "year"]
    assert {each["value"] for each in found["facets"]["site"]} == {"a.test", "b.test"}
    _, out, _ = run(capsys, "--stack", STACK, "search", "silk", "--facets", "site")
    assert "site\n  a.test  1\n  b.test  1\n" in out


def test_results_are_rows_of_a_table(capsys, stack):
    add_url(PAGE, State.PARSED, "document")
    add_document(PAGE, "Silk")
    opened = home()
    versions = opened.documents.read([document_id(url_id(PAGE))])
    index_all(writer_of(opened.index), versions)

    _, out, _ = run(capsys, "--stack", STACK, "search", "--format", "table", "silk")
    assert out.splitlines()[-2:] == ["title  url", f"Silk   {PAGE}"]
    _, out, _ = run(capsys, "--stack", STACK, "search", "--format", "csv", "silk")
    assert out == f"title,url\nSilk,{PAGE}\n"


@pytest.mark.parametrize(
    ("flags", "pointed"),
    [
        (["--filter", "lang:en", "--filter=-lang:de moth"], "  -lang:de moth\n           ^"),
        (["--filter=date:2025..2024"], "  date:2025..2024\n       ^"),
        (["--facets", "site,colour"], "  site,colour\n       ^"),
        (["--sort", "-colour"], "  -colour\n   ^"),
    ],
)
def test_what_is_wrong_with_a_flag_is_pointed_at(capsys, stack, flags, pointed):
    code, _, err = run(capsys, "--stack", STACK, "search", "silk", *flags)

    assert code == 2
    assert pointed in err


def test_a_query_that_cannot_be_read_is_pointed_at(capsys, stack):
    code, _, err = run(capsys, "--stack", STACK, "search", "--", "()")

    assert code == 2
    assert "^" in err


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Three documents: one has silk and steel, one only steel, one neither."""
    data = tmp_path_factory.mktemp("search") / "data"
    said("index", "--data", data, judged_folder(data.parent / "judged"))
    return data


@pytest.mark.parametrize(
    ("line", "query", "found"),
    [
        ("-silk steel", "-silk steel", ["beir:d3"]),
        ("steel -silk", "steel -silk", ["beir:d3"]),
        ("-silk steel --limit 3", "-silk steel", ["beir:d3"]),
        ("--limit 3 -silk steel", "-silk steel", ["beir:d3"]),
        ("steel --limit 3 -silk", "steel -silk", ["beir:d3"]),
        ("silk --limit 3 strong", "silk strong", ["beir:d2"]),
        ("-- -silk steel", "-silk steel", ["beir:d3"]),
        ("steel -hemp -silk", "steel -hemp -silk", ["beir:d3"]),
        ("silk --sort -fetched", "silk", ["beir:d2"]),
    ],
)
def test_a_word_may_begin_with_a_minus_and_stand_anywhere(judged, line, query, found):
    answer = said("search", "--data", judged, *line.split())

    assert answer["query"] == query
    assert [hit["url"] for hit in answer["hits"]] == found


def test_a_page_beyond_the_last_one_says_so(judged):
    done = run_here("search", "silk", "--page", 9, "--data", judged)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("there are none on page 9: --page 1 shows the first\n")


def test_help_says_which_signs_a_shell_needs_quoted():
    text = run_here("search", "--help").stdout

    assert "A shell reads these signs itself" in text
    assert all(sign in text.partition("A shell reads")[2] for sign in '"*!&|()<>')


def test_an_index_whose_files_are_gone_says_how_to_make_it_anew(tmp_path):
    data = tmp_path / "data"
    said("index", "--data", data, judged_folder(tmp_path / "judged"))
    shutil.rmtree(data / "index")

    done = run_here("search", "silk", "--data", data)
    said("reindex", "--data", data)

    assert (done.returncode, done.stdout) == (1, "")
    assert "a file of the index is missing" in done.stderr
    assert "`gossamer reindex`" in done.stderr
    assert said("search", "silk", "--data", data)["total"] == 1
