"""Do the stored schemas agree with the code, and do messages of the past still decode?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from gossamer import messages
from gossamer.core.errors import UndecodableMessage
from gossamer.messages import AnyMessage, CrawlRequest, decode, encode
from scripts.export_schemas import main, rendered, stale

GOLDEN = sorted((Path(__file__).resolve().parents[1] / "golden" / "messages").glob("*.json"))
KINDS = {kind.__name__: kind for kind in get_args(AnyMessage)}


def test_schemas_are_fresh():
    assert stale(rendered()) == []


def test_checking_says_so_and_changes_nothing(capsys):
    assert main(["--check"]) == 0
    assert capsys.readouterr().err == ""


def test_every_message_has_a_schema_that_explains_itself():
    for kind in KINDS.values():
        schema = msgspec.json.schema(kind)
        assert schema["$defs"][kind.__name__]["description"]


def test_every_kind_of_message_is_kept_as_gold():
    assert {json.loads(path.read_text())["kind"] for path in GOLDEN} == set(KINDS)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_stored_message_still_decodes_with_all_it_said(path):
    said = json.loads(path.read_text())

    message = decode(path.read_bytes())

    assert isinstance(message, KINDS[said["kind"]])
    assert says(json.loads(encode(message)), said)


def says(now: Any, before: Any) -> bool:
    """Whether all that was said is; what was added since stands at the end."""
    if isinstance(before, dict):
        return all(key in now and says(now[key], value) for key, value in before.items())
    if isinstance(before, list):
        return len(now) >= len(before) and all(map(says, now, before))
    return bool(now == before)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_field_of_the_future_is_tolerated(path):
    said = json.loads(path.read_text())

    message = decode(json.dumps(said | {"of_the_future": 1}))

    assert message == decode(path.read_bytes())


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"null",
        b"[]",
        b'{"kind": "Nothing", "job": "web"}',
        b'{"job": "web"}',
        b'{"kind": "CrawlRequest", "job": "web"}',
        b'{"kind": "CrawlRequest", "job": "web", "host": "a.test", "urls": [["x", -1]]}',
        b'{"kind": "CrawlRequest", "job": 5, "host": "a.test", "urls": []}',
        b'{"kind": "CrawlRequest", "job": "web", "host": "a", "urls": [], "purpose": "play"}',
    ],
)
def test_what_is_no_message_of_ours_is_undecodable(body):
    with pytest.raises(UndecodableMessage):
        decode(body)


def test_a_message_cannot_be_changed():
    message = CrawlRequest(job="web", host="a.test", urls=[])

    with pytest.raises(AttributeError):
        message.host = "b.test"  # type: ignore[misc]


def test_a_version_is_never_raised_without_an_upgrade_from_the_one_before():
    assert messages.VERSION == 1 or messages.VERSION - 1 in messages.UPGRADES
    assert all(version < messages.VERSION for version in messages.UPGRADES)


@pytest.fixture
def _next_version(monkeypatch):
    """The next program: every message has a depth."""

    def upgrade(raw: dict[str, object]) -> None:
        raw.setdefault("depth", 0)
        raw["job"] = f"upgraded {raw['job']}"

    monkeypatch.setattr(messages, "VERSION", messages.VERSION + 1)
    monkeypatch.setitem(messages.UPGRADES, messages.VERSION - 1, upgrade)


@pytest.mark.usefixtures("_next_version")
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_message_of_the_version_before_is_upgraded(path):
    said = json.loads(path.read_text())

    message = decode(json.dumps(said | {"version": messages.VERSION - 1}))

    assert (message.version, message.job) == (messages.VERSION, f"upgraded {said['job']}")


@pytest.mark.usefixtures("_next_version")
def test_an_upgrade_may_mend_what_the_next_version_could_not_read():
    body = b'{"kind": "PageFetched", "version": 1, "job": "web", "url": "http://a.test/",'
    body += b' "page": ["f", 0, 1], "fetched_at": 1.0}'

    message = decode(body)

    assert isinstance(message, messages.PageFetched)
    assert (message.job, message.depth) == ("upgraded web", 0)


@pytest.mark.usefixtures("_next_version")
@pytest.mark.parametrize("version", [-1, 0, 3, "1", None, 1.5])
def test_other_versions_are_undecodable(version):
    said = {"kind": "CrawlRequest", "job": "web", "host": "a.test", "urls": []}

    with pytest.raises(UndecodableMessage):
        decode(json.dumps(said | {"version": version}))
