"""Do the stored schemas agree with the code, and do messages of the past still decode?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

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
