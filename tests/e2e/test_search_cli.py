"""Do the commands that index, search and judge do what they say, and say what went wrong?"""

from __future__ import annotations

import gzip
import json
import os
from typing import TYPE_CHECKING

import pytest
from warcio.archiveiterator import ArchiveIterator

from gossamer.adapters.local.home import index_folder
from gossamer.core.index.segments.reader import Segment
from gossamer.core.page.document import Document
from gossamer.core.search.result import SearchResponse
from gossamer.core.urls import url_id
from gossamer.settings import Settings
from tests.commands import complains, found, judged_folder, run_here, said
from tests.e2e.crawls import crawl, warc_files
from tests.e2e.crawls import run as run_command
from tests.indexing import index_home
from tests.local_home import open_local
from tests.sites.generated import Resource, Site

if TYPE_CHECKING:
    from tests.sites.generated import Server

KEYS = {"query", "total", "total_is_exact", "page", "limit", "took_ms", "hits"}
HIT_KEYS = {"rank", "id", "url", "title", "snippet", "score"}
TEXTS = {
    "/": "A spider lives here. <a href=/orb.html>orbs</a> <a href=/silk.html>silk</a>",
    "/orb.html": "An orb web is spun by a spider within an hour, and eaten again before dawn.",
    "/silk.html": "Silk of a spider is stronger than steel of its weight. Spider silk stretches.",
}


def page(path: str, text: str, head: str = "") -> Resource:
    title = f"<title>Page {path}</title>{head}"
    return Resource(body=f"<html lang=en><head>{title}</head><body><p>{text}</p></body>".encode())


def publish(server: Server, texts: dict[str, str]) -> Site:
    origin = server.origin()
    site = Site(origin)
    site.resources |= {origin + path: page(path, text) for path, text in texts.items()}
    return server.publish(site)


@pytest.fixture(scope="module", autouse=True)
def _no_settings():
    """Only flags count."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("GOSSAMER_")]:
            patch.delenv(name)
        yield


@pytest.fixture(scope="module")
def crawled(loopback, tmp_path_factory):
    """A small site, crawled and indexed; for tests that only read."""
    data = tmp_path_factory.mktemp("crawled") / "data"
    site = publish(loopback, TEXTS)
    crawl(site.seed, data)
    assert said("index", "--data", data)["indexed"] == len(TEXTS)
    return site.origin, data


# search


def test_a_search_prints_its_results_as_json(crawled):
    origin, data = crawled

    answer = said("search", "--data", data, "spider silk")

    assert answer.keys() >= KEYS
    assert (answer["query"], answer["page"], answer["limit"]) == ("spider silk", 1, 10)
    assert (answer["total"], answer["total_is_exact"]) == (3, True)
    assert answer["took_ms"] > 0
    first = answer["hits"][0]
    assert first.keys() >= HIT_KEYS
    assert "explain" not in first
    assert (first["rank"], first["url"], first["title"]) == (
        *(1, f"{origin}/silk.html", "Page /silk.html"),
    )
    assert "stronger than steel" in first["snippet"]
    scores = [hit["score"] for hit in answer["hits"]]
    assert scores == sorted(scores, reverse=True)


def test_explain_says_why_each_result_is_there(crawled):
    answer = said("search", "--data", crawled[1], "--explain", "spider silk")

    for hit in answer["hits"]:
        why = hit["explain"]
        assert sum(term["score"] for term in why["terms"]) == pytest.approx(hit["score"], abs=1e-6)
        assert all(
            {"term", "df", "idf", "weight", "fields"} <= term.keys() for term in why["terms"]
        )
    text = run_here("search", "--data", crawled[1], "--explain", "spider silk").stdout
    assert "idf" in text


def test_results_come_in_pages(crawled):
    whole = said("search", "--data", crawled[1], "spider")

    pages = [
        said("search", "--data", crawled[1], "--limit", 2, "--page", number, "spider")
        for number in (1, 2, 3)
    ]

    assert [hit for page in pages for hit in page["hits"]] == whole["hits"]
    assert [len(page["hits"]) for page in pages] == [2, 1, 0]
    assert {page["total"] for page in pages} == {3}


def test_people_get_text(crawled):
    done = run_here("search", "--data", crawled[1], "orb")

    assert done.stdout.splitlines()[0].startswith("2 results in ")
    assert "An orb web is spun by a spider" in done.stdout


@pytest.mark.parametrize("query", ['silk "orb', "(silk", "silk )", "silk print()"])
def test_signs_of_ordinary_text_are_searched_as_text_without_a_note(crawled, query):
    answer = said("search", "--data", crawled[1], "--", query)

    assert answer["total"] >= 1
    assert (answer["mode"], answer["notes"]) == ("ranked", [])


@pytest.mark.parametrize("query", ['silk "orb', "(silk", "silk )", "silk &", "| silk"])
def test_a_query_that_cannot_be_read_is_refused_in_the_exact_language(crawled, query):
    done = run_here("search", "--data", crawled[1], "--strict", "--", query)

    assert (done.returncode, done.stdout) == (2, "")
    assert f"\n  {query}\n" in done.stderr


@pytest.mark.parametrize("query", ["silk &", "| silk", "silk size:big"])
def test_a_query_that_cannot_be_read_is_searched_as_text_and_a_note_says_so(crawled, query):
    done = run_here("search", "--data", crawled[1], "--", query)

    count, note, *_ = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert int(count.split()[0]) >= 1
    assert note.startswith("note: ")


def test_a_query_without_words_is_marked_where_it_goes_wrong(crawled):
    done = run_here("search", "--data", crawled[1], "--", "& ()")

    assert (done.returncode, done.stdout) == (2, "")
    complaint, shown, mark = done.stderr.splitlines()
    assert complaint.startswith("gossamer: ")
    assert (shown, mark.index("^")) == ("  & ()", 2)


@pytest.mark.parametrize("query", ["an", '"is by a" | "by a"', "spun & !the"])
def test_common_words_are_found_where_nothing_else_is_asked(crawled, query):
    assert said("search", "--data", crawled[1], query)["total"] >= 1


@pytest.mark.parametrize("flags", [("--page", 0), ("--limit", 0), ("--limit", 10**9)])
def test_a_page_that_cannot_be_is_wrong_usage(crawled, flags):
    complains("search", "--data", crawled[1], *flags, "silk")


def test_an_unknown_profile_is_wrong_usage(crawled):
    done = run_here("search", "--data", crawled[1], "--profile", "magic", "silk")

    assert (done.returncode, done.stdout) == (2, "")
    assert "bm25, tfidf" in done.stderr


def test_a_collection_that_does_not_exist_is_named(crawled):
    _, data = crawled

    assert "other" in complains("search", "--data", data, "--collection", "other", "silk")


def test_a_damaged_index_says_which_part_and_answers_what_it_can(crawled, tmp_path):
    folder = judged_folder(tmp_path / "judged")
    data = tmp_path / "data"
    said("index", "--data", data, folder)
    home = open_local(Settings(data=str(data)))
    [info] = home.index.manifest().segments
    places = Segment(info.name, info.size, home.index.read).footer.regions
    home.close()
    files = index_folder(data / "web.db")
    assert files is not None
    file = files / info.name
    octets = bytearray(file.read_bytes())
    stored = places["stored"]
    octets[stored.offset : stored.offset + stored.size] = bytes(stored.size)
    file.write_bytes(octets)

    done = run_here("search", "--data", data, "silk | furn*")

    assert (done.returncode, done.stdout) == (1, "")
    assert info.name in done.stderr
    assert done.stderr.count("\n") == 1
    assert said("search", "--data", data, "nothingness")["total"] == 0


def test_the_command_itself_answers_alike(crawled):
    _, data = crawled

    done = run_command("search", "--data", data, "--json", "--", "spider silk")
    wrong = run_command("search", "--data", data, "--", ")")

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["hits"] == said("search", "--data", data, "spider silk")["hits"]
    assert (wrong.returncode, wrong.stdout) == (2, "")


class Hurried:
    """A searcher that stops counting unless it is told to go on."""

    def search(self, query, *, exact_total, **_):
        total = 1204 if exact_total else 1000
        return SearchResponse(
            query=query, mode="ranked", total=total, total_is_exact=exact_total,
            page=1, limit=10, took_ms=1.0, hits=[],
        )  # fmt: skip


@pytest.mark.parametrize(
    ("flags", "start"), [((), "at least 1,000 results"), (("--exact-total",), "1,204 results")]
)
def test_a_total_says_whether_it_is_a_lower_bound(crawled, monkeypatch, flags, start):
    monkeypatch.setattr("gossamer.homes.searcher", lambda _: Hurried())

    done = run_here("search", "--data", crawled[1], *flags, "silk")

    assert done.stdout.startswith(start)


# index


def test_indexing_twice_indexes_nothing_new(crawled):
    again = said("index", "--data", crawled[1])

    assert (again["indexed"], again["documents"]) == (0, len(TEXTS))


def test_a_page_that_changed_is_found_by_its_new_words_only(server, data):
    site = publish(server, TEXTS)
    crawl(site.seed, data)
    said("index", "--data", data)
    publish(server, TEXTS | {"/orb.html": "A funnel web is another matter, says the spider."})

    crawl(site.seed, data, "--refresh")
    assert found(data, "funnel") == []
    again = said("index", "--data", data)

    assert again["documents"] == len(TEXTS)
    assert found(data, "funnel") == [f"{site.origin}/orb.html"]
    assert f"{site.origin}/orb.html" not in found(data, "hour | dawn")
    assert set(found(data, "spider")) == {site.origin + path for path in TEXTS}


def test_a_page_that_is_gone_twice_or_forbids_it_is_found_no_more(server, data):
    site = publish(server, TEXTS)
    crawl(site.seed, data)
    said("index", "--data", data)
    del site.resources[f"{site.origin}/orb.html"]
    no = '<meta name="robots" content="noindex">'
    site.resources[f"{site.origin}/silk.html"] = page("/silk.html", TEXTS["/silk.html"], no)

    crawl(site.seed, data, "--refresh")
    said("index", "--data", data)
    assert set(found(data, "spider")) == {site.seed, f"{site.origin}/orb.html"}
    crawl(site.seed, data, "--refresh")
    said("index", "--data", data)

    assert found(data, "spider") == [site.seed]
    again = said("index", "--data", data)
    assert (again["indexed"], again["documents"]) == (0, 1)


def test_a_page_that_fails_for_the_moment_is_still_found(server, data):
    site = publish(server, TEXTS)
    crawl(site.seed, data)
    said("index", "--data", data)
    site.resources[f"{site.origin}/orb.html"] = Resource(code=500, body=b"no")

    crawl(site.seed, data, "--refresh", "--retries", 0)
    said("index", "--data", data)

    assert f"{site.origin}/orb.html" in found(data, "orb")


def test_the_pages_of_a_warc_file_are_indexed_without_a_crawl(crawled, tmp_path):
    origin, data = crawled
    (file,) = warc_files(data)
    other = tmp_path / "other"

    done = said("index", "--data", other, file)
    again = said("index", "--data", other, file)

    assert (done["added"], done["indexed"], done["documents"]) == (3, 3, 3)
    assert (again["indexed"], again["documents"]) == (0, 3)
    for query in ("spider silk", "!silk", '"orb web"', "title:silk", "s*"):
        assert found(other, query) == found(data, query), query
    assert found(other, '"stronger than steel"') == [f"{origin}/silk.html"]


DAMAGE = {
    "nonsense.warc": b"This is no archive at all, but text.\n" * 9,
    "nonsense.warc.gz": gzip.compress(b"This is no archive at all, but text.\n" * 9),
    "broken.warc.gz": b"\x1f\x8b\x08\x00" + b"\x00nonsense" * 9,
}


@pytest.mark.parametrize("name", [*DAMAGE, "missing.warc.gz"])
def test_a_warc_file_that_cannot_be_read_is_named(tmp_path, name):
    bad = tmp_path / name
    if name in DAMAGE:
        bad.write_bytes(DAMAGE[name])

    complaint = complains("index", "--data", tmp_path / "data", bad)

    assert str(bad) in complaint
    assert not (tmp_path / "data").exists()
    assert complaint.isprintable() or complaint.rstrip("\n").isprintable()


def middle_of_a_response(file):
    """A place within one of the responses in a WARC file, about in its middle."""
    with file.open("rb") as opened:
        records = ArchiveIterator(opened)
        places = [
            records.get_record_offset() + records.get_record_length() // 2
            for record in records
            if record.rec_type == "response"
        ]
    return places[len(places) // 2]


@pytest.mark.parametrize("how", ["cut", "flipped"])
def test_a_damaged_record_costs_that_record_and_no_bytes_of_it_are_shown(crawled, tmp_path, how):
    (file,) = warc_files(crawled[1])
    whole = file.read_bytes()
    half = middle_of_a_response(file)  # the records beside it are not read
    flipped = bytes(~byte & 255 for byte in whole[half : half + 9])
    bad = tmp_path / "bad.warc.gz"
    bad.write_bytes(whole[:half] + (flipped + whole[half + 9 :] if how == "flipped" else b""))

    done = run_here("index", "--data", tmp_path / "data", bad)

    assert done.returncode == 0
    assert done.stderr == "gossamer: 1 damaged record was left out; all others were read\n"
    assert said("search", "--data", tmp_path / "data", "spider")["total"] >= 1


# compact


def test_compaction_changes_no_answer_and_is_done_once(server, data):
    site = publish(server, TEXTS)
    crawl(site.seed, data)
    said("index", "--data", data)
    publish(server, TEXTS | {"/silk.html": "Silk worms are no spiders."})
    crawl(site.seed, data, "--refresh")
    said("index", "--data", data)
    before = [said("search", "--data", data, query)["hits"] for query in ("silk", "spider*", "orb")]

    first, second = said("compact", "--data", data), said("compact", "--data", data)

    after = [said("search", "--data", data, query)["hits"] for query in ("silk", "spider*", "orb")]
    assert after == before
    assert second["changed"] is False
    assert second["bytes_after"] == second["bytes_before"] == first["bytes_after"]


def test_people_read_addresses_in_letters_and_programs_as_they_are(tmp_path):
    url = "http://a.test/%E6%9D%B1%E4%BA%AC"
    home = open_local(Settings(data=str(tmp_path)))
    home.documents.put(url_id(url), [Document(url=url, title="t", text="silk")], 1.0)
    index_home(home)
    home.close()

    text = run_here("search", "silk", "--data", tmp_path).stdout

    assert text.startswith("1 result in ")
    assert "http://a.test/\u6771\u4eac\n" in text
    assert found(tmp_path, "silk") == [url]


def test_a_page_without_a_date_shows_none_and_apart_when_it_was_fetched(crawled):
    hits = said("search", "silk", "--data", crawled[1])["hits"]

    assert [hit for hit in hits if "date" in hit] == []
    assert hits
    assert all(hit["fetched"] for hit in hits)


def test_a_page_of_results_says_how_to_see_the_next(crawled):
    _, data = crawled

    first = run_here("search", "spider", "--limit", 2, "--data", data).stdout
    last = run_here("search", "spider", "--limit", 2, "--page", 2, "--data", data).stdout

    assert first.endswith("\n\n1 more: --page 2 shows the next\n")
    assert "more:" not in last
