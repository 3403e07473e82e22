"""Settings of stacks that are older than the table of settings."""

from __future__ import annotations

import msgspec
import pytest

from gossamer.adapters.aws.dynamodb.models import SegmentItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.core.collection import CollectionSettings, list_name, packed

SYNONYMS = "cocoon, pupa"


@pytest.fixture
def former(home):
    """Put settings and a list where the release before the table of settings had them."""
    table = Table(home.clients, home.stack, SegmentItem)
    body = packed(SYNONYMS)
    name = f"{list_name(body)}.1"
    table.put(SegmentItem(home.collection, f"list#{list_name(body)}#0", body=body))
    settings = CollectionSettings(version=3, profile="tfidf", synonyms=name)
    encoded = msgspec.json.encode(settings)
    table.put(SegmentItem(home.collection, "settings", body=encoded, version=3))
    return settings


def test_settings_of_an_older_stack_are_read_where_they_are(home, former):
    assert home.settings.get() == former
    assert home.settings.read_list(former.synonyms) == SYNONYMS


def test_the_first_write_moves_settings_and_their_lists(home, former):
    changed = msgspec.structs.replace(former, version=4, profile="bm25")
    assert home.settings.put(changed)

    table = Table(home.clients, home.stack, SegmentItem)
    for sort in ("settings", f"list#{former.synonyms.partition('.')[0]}#0"):
        table.delete(home.collection, sort)

    assert home.settings.get() == changed
    assert home.settings.read_list(former.synonyms) == SYNONYMS


@pytest.mark.parametrize("version", [1, 3, 5])
def test_a_write_of_another_version_leaves_former_settings(home, former, version):
    assert not home.settings.put(CollectionSettings(version=version))
    assert home.settings.get() == former


def test_a_former_writer_does_not_undo_a_later_write(home, former):
    home.settings.put(msgspec.structs.replace(former, version=4, profile="bm25"))
    table = Table(home.clients, home.stack, SegmentItem)
    stale = msgspec.structs.replace(former, version=4)
    table.put(SegmentItem(home.collection, "settings", body=msgspec.json.encode(stale), version=4))

    assert home.settings.get().profile == "bm25"
    assert home.settings.put(msgspec.structs.replace(former, version=5))
