"""Do URLs, documents and edges leave as tables, whole and harmless?"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import datetime

import pytest

from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.export import COLUMNS, export
from gossamer.entrypoints.tables.cells import FORMULA_STARTS
from gossamer.messages import Link
from tests.item_reader import page_of_items, reading_items
from tests.pump import page, redirect
from tests.unit.entrypoints.moto_stack import STACK, add_document, add_url, home, run

PAGE = "http://a.test/"
SITE = {
    "http://a.test/": page("/x", "!/y", "/away", title="=HYPERLINK(1)"),
    "http://a.test/x": page(title="Grüße 🕸, “quoted”\nand, commas"),
    "http://a.test/away": redirect("/x"),
}


@pytest.fixture
async def crawled(world):
    w = world(dict(SITE))
    await w.crawl()
    return w


def rows_of(w, what, format):
    out = io.StringIO()
    count = export(w.home, what, format, out)
    text = out.getvalue()
    if format == "csv":
        rows = list(csv.DictReader(io.StringIO(text)))
    else:
        rows = [json.loads(line) for line in text.splitlines()]
    assert count == len(rows)
    return rows


@pytest.mark.parametrize("what", sorted(COLUMNS))
def test_csv_begins_with_its_columns_even_if_there_is_nothing(world, what):
    out = io.StringIO()

    count = export(world().home, what, "csv", out)

    assert (count, out.getvalue()) == (0, ",".join(COLUMNS[what]) + "\n")


@pytest.mark.parametrize("what", sorted(COLUMNS))
def test_json_lines_of_nothing_are_nothing(world, what):
    out = io.StringIO()

    assert (export(world().home, what, "jsonl", out), out.getvalue()) == (0, "")


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_every_url_is_a_row_with_its_end_and_its_way(crawled, format):
    rows = {row["url"]: row for row in rows_of(crawled, "urls", format)}

    assert set(rows) == {f"http://a.test/{path}" for path in ("", "x", "y", "away")}
    away = rows["http://a.test/away"]
    assert (away["state"], away["reason"], away["target"]) == (
        "redirected",
        "redirect",
        "http://a.test/x",
    )
    assert (str(away["depth"]), str(away["code"])) == ("1", "301")
    assert rows["http://a.test/x"]["found_on"] == "http://a.test/"
    assert rows["http://a.test/"]["found_on"] == ""


@pytest.mark.parametrize("what", ["urls", "documents"])
def test_csv_has_times_as_pages_write_them(crawled, what):
    seconds = {row["url"]: row["fetched_at"] for row in rows_of(crawled, what, "jsonl")}
    rows = rows_of(crawled, what, "csv")

    assert any(seconds.values())
    for row in rows:
        told, known = row["fetched_at"], seconds[row["url"]]
        at = datetime.fromisoformat(told).timestamp() if told else 0.0
        assert at == pytest.approx(known, abs=0.001)


def test_the_page_of_a_url_can_be_found_by_its_row(crawled):
    row = next(r for r in rows_of(crawled, "urls", "jsonl") if r["url"] == "http://a.test/x")

    record = crawled.record("http://a.test/x")
    assert (row["file"], row["offset"], row["length"]) == (
        record.page.file,
        record.page.offset,
        record.page.length,
    )


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_text_of_any_script_with_quotes_and_line_breaks_comes_through(crawled, format):
    rows = {row["url"]: row for row in rows_of(crawled, "documents", format)}

    assert rows["http://a.test/x"]["title"] == "Grüße 🕸, “quoted” and, commas"


@pytest.mark.parametrize("format", ["csv", "jsonl"])
async def test_every_document_of_a_page_is_a_row_with_its_id_and_its_page(world, format):
    with reading_items():
        w = world({PAGE: page_of_items("orb=Orb web", "funnel=Funnel web", links=("/x", "/none"))})
        w.fetcher.answers |= {f"{PAGE}x": page(title="x"), f"{PAGE}none": page_of_items()}
        await w.crawl()

    rows = rows_of(w, "documents", format)

    versions = [version for each in w.home.documents.all() for version in each.versions()]
    assert {(row["id"], row["title"]) for row in rows} == {
        (version.id.hex(), version.document.title) for version in versions
    }
    assert {(row["key"], row["url"], row["page"]) for row in rows} == {
        ("orb", PAGE, url_id(PAGE).hex()),
        ("funnel", PAGE, url_id(PAGE).hex()),
        ("", f"{PAGE}x", url_id(f"{PAGE}x").hex()),
    }


def test_edges_are_rows_with_their_words(crawled):
    rows = rows_of(crawled, "edges", "csv")

    assert [(r["source"], r["target"], r["nofollow"]) for r in rows] == [
        ("http://a.test/", "http://a.test/x", "False"),
        ("http://a.test/", "http://a.test/y", "True"),
        ("http://a.test/", "http://a.test/away", "False"),
    ]


async def test_no_cell_of_a_csv_is_a_formula(world):
    titles = [f"{start.strip() or '='}cmd|' /C calc'!A0" for start in FORMULA_STARTS]
    site = {"http://a.test/": page("/0", "/1", "/2", "/3", "/4", "/5", title="=1+1")}
    site |= {f"http://a.test/{i}": page(title=title) for i, title in enumerate(titles)}
    w = world(site)
    await w.crawl()

    rows = rows_of(w, "documents", "csv")

    titled = [row["title"] for row in rows]
    assert "'=1+1" in titled
    assert not [cell for row in rows for cell in row.values() if cell.startswith(FORMULA_STARTS)]


async def test_json_lines_keep_a_title_as_it_is(world):
    w = world({"http://a.test/": page(title="=1+1")})
    await w.crawl()

    (row,) = rows_of(w, "documents", "jsonl")

    assert row["title"] == "=1+1"


async def test_anchor_texts_cannot_be_formulas_either(world):
    html = page("/x", title="r")
    body = html.body.replace(b">/x<", b">=cmd()<")
    w = world({"http://a.test/": replace(html, raw=body, body=body)})
    await w.crawl()

    (row,) = rows_of(w, "edges", "csv")

    assert row["anchor"] == "'=cmd()"


def test_urls_leave_as_csv_with_the_page_that_led_to_them(capsys, stack):
    add_url(PAGE)
    opened = home()
    from gossamer.core.crawl.url_record import Discovery

    found = Discovery(url_id("http://a.test/x"), "http://a.test/x", "a.test", 1, job="crawl")
    opened.urls.add([found], url_id(PAGE), 100.0)

    code, out, _ = run(capsys, "--stack", STACK, "export", "--what", "urls")

    rows = {row["url"]: row for row in csv.DictReader(io.StringIO(out))}
    assert code == 0
    assert (rows[PAGE]["found_on"], rows["http://a.test/x"]["found_on"]) == ("", PAGE)


def test_documents_and_edges_leave_as_json_lines(capsys, stack):
    add_url(PAGE)
    add_url("http://a.test/x")
    add_document(PAGE, "Silk")
    home().edges.put(url_id(PAGE), [Link("http://a.test/x", "next")], 0, 1)

    _, documents, _ = run(capsys, "--stack", STACK, "export", "--what", "documents", "--json")
    _, edges, _ = run(capsys, "--stack", STACK, "export", "--what", "edges", "--json")

    assert json.loads(documents)["title"] == "Silk"
    assert json.loads(edges) == {
        "source": PAGE,
        "target": "http://a.test/x",
        "anchor": "next",
        "nofollow": False,
    }


def test_an_export_goes_into_a_file(capsys, stack, tmp_path):
    add_url(PAGE)
    target = tmp_path / "urls.csv"

    code, out, err = run(capsys, "--stack", STACK, "export", "--output", str(target))

    assert (code, out) == (0, "")
    assert err == f"1 urls in {target}\n"
    assert PAGE in target.read_text()
