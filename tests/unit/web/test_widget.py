"""Is the search box for other pages small, harmless and served to all of them?"""

from __future__ import annotations

import re
from importlib.resources import files

from gossamer.entrypoints.api.endpoints import pages
from tests.unit.entrypoints.api.asking import APP, ask, event

SOURCE = files("gossamer").joinpath("web", "widget.js").read_bytes()
MOST = 14_000  # bytes, before compression


def test_it_is_at_most_12_kb():
    assert len(SOURCE) <= MOST


def test_no_text_becomes_markup_or_code():
    text = SOURCE.decode()

    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text)


def test_it_names_no_other_host():
    assert b"http://" not in SOURCE
    assert b"https://" not in SOURCE


def test_any_page_may_load_it_and_nothing_else():
    widget = ask(pages.static, args={"name": "widget.js"})
    other = ask(pages.static, args={"name": "app.js"})

    assert widget.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert widget.headers["Access-Control-Allow-Origin"] == "*"
    assert widget.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "Access-Control-Allow-Origin" not in other.headers


def test_a_stack_serves_the_same():
    said = APP(event("/static/{name}", args={"name": "widget.js"}), None)

    assert said["body"].encode() == SOURCE
