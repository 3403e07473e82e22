"""Does the reference of the API show every operation, each with an example that works?"""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from gossamer.core.bot_auth import DIRECTORY_PATH
from gossamer.entrypoints.api.endpoints import pages
from gossamer.entrypoints.api.gateway_event import Resources
from gossamer.entrypoints.api.openapi import ALWAYS, description
from gossamer.entrypoints.api.routes import ROUTES
from gossamer.entrypoints.api.views.api_reference import operations_of, to_reference
from gossamer.entrypoints.api.views.client_snippets import call_of, snippets
from tests.unit.entrypoints.api.asking import APP, ask, event

BASE = "http://a.test:8080/Prod/"
DESCRIPTION: Any = description()
OPERATIONS = operations_of(DESCRIPTION)
PAGE = to_reference(DESCRIPTION, BASE, ALWAYS)
each_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.id)


def call(operation):
    return call_of(BASE, operation.path, operation.method, operation.said)


def section(id):
    [found] = re.findall(rf'<section id="{id}">.*?</section>', PAGE, re.DOTALL)
    return found


def test_every_operation_has_a_name_of_its_own():
    assert len({each.id for each in OPERATIONS}) == len(OPERATIONS) == len(ROUTES)


@each_operation
def test_every_operation_is_there_with_an_example_for_each_client(operation):
    shown = unescape(section(operation.id))

    assert f'href="#{operation.id}"' in PAGE
    assert operation.path in shown
    for parameter in operation.said["parameters"]:
        assert f"<code>{parameter['name']}</code>" in shown
        assert parameter["description"] in shown
    for name, text in snippets(call(operation)).items():
        assert f"<summary>{name}</summary><pre><code>{text}</code></pre>" in shown


@each_operation
def test_every_example_is_a_request_that_the_api_takes(operation, fake):
    made = call(operation)
    path = urlsplit(made.url).path.removeprefix("/Prod")

    resource, args = Resources(APP.routes).match(path)
    asked = event(resource, made.method, parse_qs(urlsplit(made.url).query), args)
    asked["headers"] = {"Accept": "*/*", **made.headers}
    asked["body"] = made.body and json.dumps(made.body)
    said = APP(asked, None)

    # Here nothing signs requests, and no query is logged.
    is_missing = "{id}" in resource or resource in (DIRECTORY_PATH, "/clicks")
    expected = 403 if "security" in operation.said else 404 if is_missing else 200
    assert resource == operation.path
    assert said["statusCode"] == expected, said["body"]


@each_operation
def test_the_example_for_python_is_python(operation):
    compile(snippets(call(operation))["Python"], operation.id, "exec")


def test_the_example_of_a_body_is_such_a_body():
    examples = [(route.example, route.body) for route in ROUTES if route.body]

    assert examples
    for example, kind in examples:
        assert msgspec.convert(example, kind)


def test_a_client_with_a_key_and_a_body_shows_both():
    operation = next(each for each in OPERATIONS if each.id == "seeds")

    written = snippets(call(operation))

    assert written["curl"] == (
        "curl -H 'Authorization: Bearer KEY' -H 'Content-Type: application/json' -d "
        '\'{"urls": ["https://www.example.org/"], "job": "crawl"}\' http://a.test:8080/Prod/seeds'
    )
    assert "data=json.dumps(body).encode()" in written["Python"]
    assert 'method: "POST"' in written["JavaScript"]


def test_every_link_within_the_page_leads_somewhere():
    ids = set(re.findall(r' id="([^"]+)"', PAGE))

    assert set(re.findall(r'href="#([^"]+)"', PAGE)) <= ids


def test_what_is_said_is_text_even_if_it_looks_like_markup():
    hostile = "<script>alert('x')</script>\"&"
    said = json.loads(json.dumps(DESCRIPTION))
    search = said["paths"]["/search"]["get"]
    search["summary"] = search["description"] = search["parameters"][0]["description"] = hostile
    search["parameters"][0]["example"] = hostile
    said["components"]["schemas"]["Hit"]["description"] = hostile

    page = to_reference(said, f"http://{hostile}/", ALWAYS)

    assert "<script" not in page
    assert page.count("&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;&quot;&amp;") >= 4


def test_the_page_runs_nothing_and_asks_no_other_host():
    loaded = re.findall(r"<(?:link|script|img|iframe)[^>]*>", PAGE)

    assert not re.search(r"<script|<style| style=| on\w+=", PAGE)
    assert all(re.search(r'href="static/', tag) for tag in loaded)


def test_it_is_served_and_names_the_address_that_the_client_knows(fake):
    asked = event("/docs", headers={"host": "b.test:80"})

    assert ask(pages.docs).headers["Content-Type"] == "text/html; charset=utf-8"
    assert "http://b.test:80/search?q=spider+silk" in APP(asked, None)["body"]
    assert ask(pages.docs, q="x").status == 400
