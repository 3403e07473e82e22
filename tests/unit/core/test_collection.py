from __future__ import annotations

import msgspec
import pytest

from gossamer.core.collection import (
    PROFILE_NAMES,
    AnalyzerSettings,
    CollectionSettings,
    FieldWeight,
    IndexSchema,
    Weights,
)
from gossamer.core.errors import ConfigurationError
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.declared import Column, TextField
from gossamer.core.index.schema import FIELDS
from gossamer.core.search.scoring import profiles_of
from gossamer.core.settings_file import read_settings, to_toml

DEFAULTS = CollectionSettings()


def test_an_empty_file_is_what_a_collection_has_without_settings():
    assert read_settings("", "collection.toml") == DEFAULTS


def test_what_a_file_names_is_set_and_the_rest_keeps_its_default():
    settings = read_settings(
        """
        profile = "tfidf"
        [analyzer]
        language = "de"
        smallest_word = 2
        [weights]
        k1 = 1.2
        title.weight = 5
        [bm25]
        rank = 0
        """,
        "collection.toml",
    )

    assert settings.profile == "tfidf"
    assert settings.analyzer == AnalyzerSettings(language="de", smallest_word=2)
    assert settings.weights.k1 == 1.2
    assert settings.weights.title == FieldWeight(5.0, 0.5, 8.0)
    assert settings.weights.body == DEFAULTS.weights.body
    assert (settings.bm25.rank, settings.bm25.half) == (0.0, 0.25)
    assert settings.version == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("profile = ", "not TOML"),
        ("formula = 'log1p(text) + vote'", "formula, column 15: unknown name 'vote'"),
        ("formula = '" + "(" * 10000 + "'", "formula, column 2001: a formula has at most"),
        ("formula = 1", "Expected `str`"),
        ("[words]\nsilk = 1001", "<= 1000"),
        ("[words]\nsilk = 'much'", "Expected `float`"),
        ("[results.'']\npinned = []", "'' is no query"),
        ("[results]\nA.hidden = ['x']\na.hidden = ['x']", "'a' is there twice"),
        ("[results.a]\npinned = ['x']\nhidden = ['x']", "names a result twice"),
        ("[results.a]\npinned = ['']", "without a URL"),
        ("[results.a]\npined = ['x']", "unknown field `pined`"),
        ("profil = 'bm25'", "unknown key 'profil'; did you mean 'profile'?"),
        ("[weights]\ntitel.weight = 1", "unknown key 'weights.titel'; did you mean 'title'?"),
        ("[weights.title]\nheft = 1", "unknown key 'weights.title.heft'"),
        ("version = 7", "unknown key 'version'"),
        ("profile = 'best'", "Invalid enum value 'best'"),
        ("[weights]\ntitle.b = 1.5", "Expected `float` <= 1.0"),
        ("[weights]\nk1 = 0", "Expected `float` > 0.0"),
        ("weights = 3", "Expected `object`, got `int`"),
        ("[columns.price]", "missing required field `type`"),
        ("[columns.price]\ntype = 'int'", "Invalid enum value 'int'"),
        ("[columns.price]\ntype = 'money'\nfacets = true", "unknown field `facets`"),
        ("[columns.Price]\ntype = 'money'", "'Price' is no name"),
        ("[columns.price]\ntype = 'number'\nfacet = true", "columns.price: numbers cannot"),
        ("[fields.title]", "'title' is a name of Gossamer's own"),
        ("[fields.summary]\nweight = -1", "Expected `float` >= 0.0"),
        ("columns = 3", "Expected `object`, got `int`"),
        ("[analyzer]\nsmallest_word = 0", "Expected `int` >= 1"),
        ("[analyzer]\nlanguage = 'automatic'", "unknown language 'automatic'; known: ar, "),
        ("[analyzer]\nlanguage = 'auto:xx'", "unknown language 'auto:xx'; known: ar, "),
    ],
)
def test_a_mistake_is_named_with_its_file_and_place(text, message):
    with pytest.raises(ConfigurationError) as raised:
        read_settings(text, "collection.toml")

    assert str(raised.value).startswith("collection.toml: ")
    assert message in str(raised.value)


DECLARED = CollectionSettings(
    profile="tfidf",
    columns={"brand": Column(type="keyword", facet=True), "price": Column(type="money", sort=True)},
    fields={"summary": TextField(weight=2.5, searched=False)},
)


def test_columns_and_text_fields_are_declared_by_name():
    settings = read_settings(
        """
        profile = "tfidf"
        [columns.brand]
        type = "keyword"
        facet = true
        [columns.price]
        type = "money"
        sort = true
        [fields.summary]
        weight = 2.5
        searched = false
        """,
        "collection.toml",
    )

    assert settings == DECLARED


@pytest.mark.parametrize("settings", [DEFAULTS, DECLARED])
def test_settings_are_read_from_the_file_that_they_are_written_to(settings):
    stored = msgspec.structs.replace(settings, version=7)

    assert read_settings(to_toml(stored), "collection.toml") == settings
    assert to_toml(stored).startswith("# version 7\n")


def test_a_digest_tells_schemas_apart_that_index_differently():
    english, german = Analyzer().describe(), Analyzer(language="de").describe()
    schema, brand = DECLARED.schema, Column(type="keyword")
    others = [
        IndexSchema(),
        msgspec.structs.replace(schema, columns=schema.columns | {"colour": brand}),
        msgspec.structs.replace(schema, columns=schema.columns | {"price": brand}),
        msgspec.structs.replace(schema, fields={"summary": TextField(weight=2.5)}),
        msgspec.structs.replace(schema, weights=Weights(k1=1.0)),
    ]

    digests = {each.digest(english) for each in [schema, *others]} | {schema.digest(german)}

    assert len(digests) == len(others) + 2
    unsorted = schema.columns | {"price": Column(type="money", sort=False)}
    same = msgspec.structs.replace(schema, columns=dict(reversed(unsorted.items())))
    assert same.digest(english) == schema.digest(english)


def test_settings_of_a_newer_program_are_read_as_far_as_they_are_known():
    written = msgspec.json.encode(
        msgspec.to_builtins(DEFAULTS) | {"of_the_future": ["cat, kitten"]}
    )

    assert msgspec.json.decode(written, type=CollectionSettings) == DEFAULTS


def test_every_field_has_a_weight_and_every_profile_a_blend():
    assert [DEFAULTS.weights.of(field).weight > 0 for field in FIELDS] == [True] * len(FIELDS)
    assert tuple(profiles_of(DEFAULTS)) == PROFILE_NAMES


def test_the_default_analyzer_is_the_one_of_the_settings():
    assert Analyzer(**msgspec.structs.asdict(DEFAULTS.analyzer)) == Analyzer()


def test_words_shorter_than_the_smallest_are_gaps_but_not_characters_that_are_words():
    analyzer = Analyzer(smallest_word=3)

    assert analyzer.terms("x an ox été 日本 dogs") == ["", "", "", "ete", "日", "本", "dog"]
    assert Analyzer.from_description(analyzer.describe()) == analyzer


def test_what_a_person_writes_about_ranking_is_read_and_written_alike():
    settings = read_settings(
        """
        formula = "votes > 3 ? 1 : 0"
        columns.votes.type = "number"
        [words]
        freiburg = 5
        "C++" = -0.5
        "sch\\u007fön" = 1
        [results."how do I \\"return\\" it?"]
        pinned = ["http://a.test/returns"]
        """,
        "collection.toml",
    )

    assert settings.words == {"freiburg": 5.0, "C++": -0.5, "sch\x7fön": 1.0}
    assert settings.results['how do I "return" it?'].pinned == ["http://a.test/returns"]
    assert read_settings(to_toml(settings), "again") == settings


def test_settings_that_do_not_fit_into_an_item_are_refused():
    words = "\n".join(f"{'x' * 400}{number} = 1" for number in range(900))

    with pytest.raises(ConfigurationError, match="at most 300,000 bytes"):
        read_settings(f"[words]\n{words}", "collection.toml")
    with pytest.raises(ConfigurationError, match="at most 1,000 words"):
        read_settings("[words]\n" + "\n".join(f"w{n} = 1" for n in range(1001)), "x")
