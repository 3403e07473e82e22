"""The columns that a collection has without declaring them."""

from gossamer.core.collection import IndexSchema
from gossamer.core.index.automatic import AUTOMATIC, with_values
from gossamer.core.index.declared import Column, TextField, check_declared
from gossamer.core.index.segments.stored import Stored
from gossamer.core.search.fields import fields_of


def test_every_one_could_be_declared():
    check_declared(AUTOMATIC, ())


def test_what_a_collection_declares_takes_its_place():
    schema = IndexSchema(
        columns={"brand": Column(type="keywords"), "salary_currency": Column(type="keyword")},
        fields={"author": TextField()},
    )

    assert not {"brand", "author", "salary"} & set(schema.automatic)
    assert schema.all_columns["brand"] == Column(type="keywords")
    assert fields_of(schema).types["author"] == "words"


def test_a_segment_has_those_in_which_a_document_has_a_value():
    documents = [Stored("http://a.test/"), Stored("http://b.test/", values={"price": 7, "x": 1})]

    assert list(with_values(AUTOMATIC, documents)) == ["price"]
    assert with_values(AUTOMATIC, documents[:1]) == {}


def test_older_indexes_stay_valid_until_they_are_switched_off():
    before, off = IndexSchema(), IndexSchema(structured=False)

    assert off.automatic == {}
    assert off.digest({}) != before.digest({})
