"""Is a stored picture given as it is, and as nothing that could run?"""

from __future__ import annotations

import pytest

from gossamer.entrypoints.api.endpoints import documents
from tests.fake_search import PNG, FakePage, fake_id
from tests.unit.entrypoints.api.asking import ask, error


@pytest.fixture
def pictures(fake):
    fake.pages[0] = FakePage(fake.pages[0].url, "Webs", "silk", picture=True)


def test_a_picture_is_given_by_its_own_type(pictures):
    made = ask(documents.picture, args={"id": fake_id(0)})

    assert (made.status, made.body) == (200, PNG)
    assert made.headers["Content-Type"] == "image/png"
    assert made.headers["X-Content-Type-Options"] == "nosniff"
    assert made.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    known = {"if-none-match": made.headers["ETag"]}
    assert ask(documents.picture, headers=known, args={"id": fake_id(0)}).status == 304
    assert ask(documents.picture, "HEAD", args={"id": fake_id(0)}).body == ""


@pytest.mark.parametrize("id", [fake_id(1), fake_id(999_999)])
def test_what_has_none_is_not_found(pictures, id):
    made = ask(documents.picture, args={"id": id})

    assert made.status == 404
    assert error(made)["code"] == "not_found"


def test_what_is_no_id_is_refused(pictures):
    assert ask(documents.picture, args={"id": "../x"}).status == 400
