"""Are parameters read, limited and described from one table?"""

from __future__ import annotations

import pytest

from gossamer.entrypoints.api.parameters import (
    MAX_DEPTH,
    SEARCH,
    BadParameter,
    Parameter,
    SearchParameters,
    read_document_id,
    read_search,
)


def test_what_is_not_given_has_its_default():
    assert read_search({"q": ["silk"]}) == SearchParameters(
        q="silk",
        page=1,
        limit=10,
        explain=False,
        profile=None,
        similar="one",
        like=None,
        exact_total=False,
        filter=(),
        facets="",
        sort="relevance",
        fields="",
        correct=True,
        strict=False,
        format="json",
    )


def test_page_times_limit_has_an_end():
    assert read_search({"q": ["a"], "page": [str(MAX_DEPTH // 100)], "limit": ["100"]}).limit == 100

    with pytest.raises(BadParameter, match="may not exceed"):
        read_search({"q": ["a"], "page": [str(MAX_DEPTH // 100 + 1)], "limit": ["100"]})


@pytest.mark.parametrize("part", ["", "00000001"])
def test_an_id_is_that_of_a_result(part):
    assert read_document_id("0f" * 16 + part) == bytes([15]) * 16 + bytes.fromhex(part)
    for text in ("17", "seventeen", "0f" * 17, "0F" * 16, "0f" * 16 + part + "\n"):
        with pytest.raises(BadParameter):
            read_document_id(text)


@pytest.mark.parametrize("parameter", SEARCH, ids=lambda parameter: parameter.name)
def test_the_default_of_a_parameter_is_in_its_schema(parameter: Parameter):
    schema = parameter.schema()

    assert schema.get("default") == parameter.default
    assert "enum" not in schema or schema["enum"] == list(parameter.choices)
