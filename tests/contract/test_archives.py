"""Do archives that leave a collection keep the rules of WARC and WACZ, and answer as it does?"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import importlib
import json
import warnings
import zipfile
from argparse import Namespace
from io import BytesIO

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from gossamer import homes
from gossamer.core.crawl.url_record import Discovery, PageRef, UrlChange
from gossamer.core.crawl.url_state import Event
from gossamer.core.errors import CorruptRecord
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.entrypoints.archives.cutting import hits, write_wacz, write_warc
from gossamer.ports.fetcher import HttpResponse
from gossamer.ports.pages import Earlier, RequestFacts
from tests.commands import found, said
from tests.indexing import index_home

FACTS = RequestFacts(
    job="web", host="a.test", purpose="page", slot=1.0, delay=1.0, grace=1.0, depth=0, tries=0,
    agent="gossamer",
)  # fmt: skip
HTML = (("Content-Type", "text/html; charset=utf-8"),)
PACKED = (*HTML, ("Content-Encoding", "gzip"))
WORDS = "Spiders spin webs of silk. " * 60


def page(title, text=WORDS):
    return f"<title>{title}</title><body><p>{title}. {text}</p></body>".encode()


def response(path, body=b"", code=200, headers=HTML, at=100.25):
    sent = gzip.compress(body) if headers is PACKED else body
    return HttpResponse(
        url=f"http://a.test/{path}", started_at=at, seconds=0.5, ip="192.0.2.7", code=code,
        phrase="OK", headers=headers, raw=sent, body=body, request=b"GET / HTTP/1.1\r\n\r\n",
    )  # fmt: skip


def append(home, answer, earlier=None):
    async def kept():
        with home.pages.task():
            return await home.pages.append(answer, FACTS, earlier)

    return asyncio.run(kept())


def crawl(home, answer, title="", depth=0, earlier=None):
    """A URL that was fetched, and read if it has a title."""
    id, ref = url_id(answer.url), append(home, answer, earlier)
    home.urls.add([Discovery(id, answer.url, "a.test", depth, job="web")], b"", 1.0)
    asyncio.run(home.urls.claim(id, 1.0, 9.0, 1.0))
    change = UrlChange(page=ref, code=answer.code, fetched_at=answer.started_at)
    event = Event.STORED if answer.code == 200 else Event.MISSED
    home.urls.move(id, event, change)
    if title:
        document = Document(url=answer.url, title=title, text=answer.body.decode())
        home.documents.put(id, [document], answer.started_at)
    return ref


@pytest.fixture
def crawled(any_home):
    home = any_home
    crawl(home, response("deep", page("Funnels")), "Funnels", depth=3)
    first = crawl(home, response("", page("Orbs"), headers=PACKED), "Orbs")
    crawl(home, response("gone", code=404), depth=1)
    again = append(home, response("", page("Orbs"), headers=PACKED, at=200.5), Earlier(
        first, "http://a.test/", 100.25
    ))  # fmt: skip
    home.urls.move(url_id("http://a.test/"), Event.PARSED, UrlChange(page=again))
    index_home(home)
    home.commit()
    return home


def records(data):
    """(type, URL, payload as it was sent) of every record."""
    return [
        (r.rec_type, r.rec_headers.get_header("WARC-Target-URI"), r.content_stream().read())
        for r in ArchiveIterator(BytesIO(data), no_record_parse=True)
    ]


def warc_of(home, wanted=None):
    out = BytesIO()
    cut = write_warc(home, wanted, out, "web.warc.gz")
    return out.getvalue(), cut


def wacz_of(home, wanted=None):
    out = BytesIO()
    cut = write_wacz(home, wanted, out, 1e9)
    return zipfile.ZipFile(out), cut


def test_a_collection_leaves_with_its_requests_and_whole_pages(crawled, tmp_path):
    data, cut = warc_of(crawled)

    path = tmp_path / "web.warc.gz"
    path.write_bytes(data)
    found = records(data)
    urls = {url for kind, url, _ in found if kind == "response"}
    assert urls == {"http://a.test/", "http://a.test/deep", "http://a.test/gone"}
    assert sorted(kind for kind, _, _ in found) == (
        ["metadata"] * 3 + ["request"] * 3 + ["response"] * 3 + ["warcinfo"]
    )
    assert (len(cut.captured), len(cut.of), cut.missing) == (3, 3, 0)
    assert Checker(Namespace(inputs=[str(path)], verbose=False)).process_all() == 0


def test_fastwarc_opens_it_and_its_digests_are_right(crawled):
    data, _ = warc_of(crawled)

    with warnings.catch_warnings():  # of its own older names
        warnings.simplefilter("ignore")
        warc = importlib.import_module("fastwarc.warc")
    found = list(warc.ArchiveIterator(BytesIO(data), record_types=warc.WarcRecordType.response))
    assert len(found) == 3
    for record in warc.ArchiveIterator(BytesIO(data), record_types=warc.WarcRecordType.response):
        assert record.verify_payload_digest()
        assert record.headers["WARC-Target-URI"].startswith("http://a.test/")


@pytest.mark.parametrize("name", ["web.warc.gz", "web.wacz"])
def test_a_collection_that_is_made_of_it_answers_alike(crawled, tmp_path, name):
    path, data = tmp_path / name, tmp_path / "data"
    with path.open("wb") as out:
        if name.endswith("wacz"):
            write_wacz(crawled, None, out, 1e9)
        else:
            write_warc(crawled, None, out, name)

    assert said("index", "--data", data, path)["documents"] == 2

    for query in ("silk", "orbs", "title:funnels", "nothing"):
        there = [hit.url for hit in homes.searcher(crawled).search(query).hits]
        assert sorted(found(data, query)) == sorted(there)


def test_a_query_chooses_pages(crawled):
    ids = hits(homes.searcher(crawled), "funnels")

    data, cut = warc_of(crawled, ids)

    assert [url for kind, url, _ in records(data) if kind == "response"] == ["http://a.test/deep"]
    assert len(cut.captured) == 1


def test_a_wacz_names_what_is_in_it_by_its_digests(crawled):
    file, _ = wacz_of(crawled)

    package = json.loads(file.read("datapackage.json"))
    digest = json.loads(file.read("datapackage-digest.json"))
    for each in package["resources"]:
        content = file.read(each["path"])
        assert each["bytes"] == len(content)
        assert each["hash"] == "sha256:" + hashlib.sha256(content).hexdigest()
    assert {each["path"] for each in package["resources"]} == {
        "archive/data.warc.gz", "indexes/index.cdxj", "pages/pages.jsonl"
    }  # fmt: skip
    sha256 = hashlib.sha256(file.read("datapackage.json")).hexdigest()
    assert digest == {"path": "datapackage.json", "hash": f"sha256:{sha256}"}
    assert (package["profile"], package["wacz_version"]) == ("data-package", "1.1.1")
    assert package["mainPageUrl"] == "http://a.test/"
    assert all(info.compress_type == zipfile.ZIP_STORED for info in file.infolist())


def test_every_line_of_its_index_leads_to_its_response(crawled):
    file, _ = wacz_of(crawled)

    data = file.read("archive/data.warc.gz")
    lines = file.read("indexes/index.cdxj").decode().splitlines()
    assert lines == sorted(lines)
    for line in lines:
        key, timestamp, fields = line.split(" ", 2)
        said = json.loads(fields)
        at, end = int(said["offset"]), int(said["offset"]) + int(said["length"])
        [(kind, url, block)] = records(data[at:end])
        assert (kind, url, said["filename"]) == ("response", said["url"], "data.warc.gz")
        assert block.split(b" ")[1].decode() == said["status"]
        assert key.startswith("test,a)/")
        assert timestamp == {"": "19700101000320"}.get(url[14:], "19700101000140")


def test_its_pages_are_those_with_documents_the_nearest_first(crawled):
    file, _ = wacz_of(crawled)

    first, *pages = map(json.loads, file.read("pages/pages.jsonl").splitlines())
    assert first["format"] == "json-pages-1.0"
    assert [(each["url"], each["title"]) for each in pages] == [
        ("http://a.test/", "Orbs"), ("http://a.test/deep", "Funnels")
    ]  # fmt: skip


def test_what_cannot_be_read_is_left_out_and_counted(crawled):
    id = url_id("http://a.test/deep")
    crawled.urls.move(id, Event.PARSED, UrlChange(page=PageRef("lost.warc.gz", 0, 99)))
    crawled.commit()

    data, cut = warc_of(crawled)

    assert (len(cut.captured), cut.missing) == (2, 1)
    assert "http://a.test/deep" not in {url for _, url, _ in records(data)}
    with pytest.raises(CorruptRecord):
        crawled.pages.exchange(PageRef("lost.warc.gz", 0, 99))


def test_a_collection_without_pages_is_a_file_without_records(any_home):
    data, cut = warc_of(any_home)
    file, _ = wacz_of(any_home)

    assert [kind for kind, _, _ in records(data)] == ["warcinfo"]
    assert cut.captured == []
    assert file.read("indexes/index.cdxj") == b""
