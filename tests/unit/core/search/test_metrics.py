from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.search.metrics import (
    Entry,
    Judgement,
    Quality,
    mean_quality,
    parse_entry,
    parse_qrels_line,
    quality,
)

DOCUMENTS = [f"d{n}" for n in range(12)]


def test_a_perfect_ranking_has_full_marks():
    grades = {"a": 2, "b": 1, "c": 1, "d": 3, "e": 1, "x": 0}

    found = quality(["d", "a", "b", "c", "e", "x"], grades)

    assert found == Quality(1.0, 1.0, 1.0, 1.0, 1.0, 1.0)


def test_a_ranking_is_measured_as_in_the_textbook():
    found = quality(["x", "a", "y", "b"], {"a": 2, "b": 1, "c": 1})

    assert found is not None
    dcg, ideal = 2 / math.log2(3) + 1 / math.log2(5), 2 + 1 / math.log2(3) + 1 / 2
    assert found.by_name() == pytest.approx(
        {
            "ndcg@10": dcg / ideal,
            "map": (1 / 2 + 2 / 4) / 3,
            "p@5": 2 / 5,
            "r-precision": 1 / 3,
            "mrr": 1 / 2,
            "recall@100": 2 / 3,
        }
    )


def test_an_empty_ranking_is_worth_nothing():
    assert quality([], {"a": 1}) == Quality(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("grades", [{}, {"a": 0}, {"a": -1}])
def test_a_query_without_a_relevant_document_has_no_quality(grades):
    assert quality(["a"], grades) is None


def test_a_document_counts_once():
    assert quality(["a", "a", "b"], {"a": 1, "b": 1}) == quality(["a", "b"], {"a": 1, "b": 1})


def test_depths_are_ten_five_and_a_hundred():
    ranking = [f"x{n}" for n in range(100)] + ["a"]

    assert quality(ranking, {"a": 1}) == Quality(0.0, 1 / 101, 0.0, 0.0, 1 / 101, 0.0)


def test_the_mean_is_over_queries_with_a_relevant_document():
    judgements = {"1": {"a": 1}, "2": {"a": 0}, "3": {"a": 1}}

    found, count = mean_quality({"1": ["a"], "2": ["a"], "4": ["a"]}, judgements)

    assert count == 2
    assert found == Quality(0.5, 0.5, 0.1, 0.5, 0.5, 0.5)


def test_the_mean_of_nothing_is_nothing():
    assert mean_quality({}, {}) == (Quality(0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 0)


def slow_quality(ranking, grades):
    """The definitions, word by word."""
    relevant = [document for document in grades if grades[document] > 0]

    def precision(depth):
        return len([d for d in ranking[:depth] if d in relevant]) / depth

    def dcg(documents):
        total = 0.0
        for rank in range(1, min(10, len(documents)) + 1):
            total += max(0, grades.get(documents[rank - 1], 0)) / (math.log(rank + 1) / math.log(2))
        return total

    ideal = sorted(grades, key=lambda document: -grades[document])
    average = 0.0
    for rank in range(1, len(ranking) + 1):
        if ranking[rank - 1] in relevant:
            average += precision(rank)
    first = next((rank for rank, d in enumerate(ranking, 1) if d in relevant), math.inf)
    return {
        "ndcg@10": dcg(ranking) / dcg(ideal),
        "map": average / len(relevant),
        "p@5": precision(5),
        "r-precision": precision(len(relevant)),
        "mrr": 1 / first,
        "recall@100": len(set(ranking[:100]) & set(relevant)) / len(relevant),
    }


@given(
    st.permutations([*DOCUMENTS, "y", "z"]).flatmap(
        lambda order: st.integers(0, len(order)).map(lambda n: order[:n])
    ),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 3), min_size=1),
)
def test_measures_agree_with_their_definitions(ranking, grades):
    found = quality(ranking, grades)

    if found is None:
        assert max(grades.values()) <= 0
    else:
        assert found.by_name() == pytest.approx(slow_quality(ranking, grades))


def test_a_corpus_line_is_a_document():
    line = '{"_id": "d1", "title": "T", "text": "Words.", "metadata": {"a": 1, "b": [2]}}\n'

    assert parse_entry(line) == Entry("d1", "T", "Words.", {"a": 1})


@pytest.mark.parametrize("line", ['{"_id": 7}', '{"_id": "7", "title": null, "text": null}'])
def test_a_document_may_lack_everything_but_its_name(line):
    assert parse_entry(line) == Entry("7", "", "")


def test_a_query_line_is_a_query():
    assert parse_entry('{"_id": "1", "text": "why?"}') == Entry("1", "", "why?")


@pytest.mark.parametrize("line", ["", "{", "[]", '{"text": "a"}', '{"_id": "1", "text": 3}'])
def test_other_lines_are_refused(line):
    with pytest.raises(ValueError, match="no line of a judged collection"):
        parse_entry(line)


@pytest.mark.parametrize(
    ("line", "judgement"),
    [
        ("1\tCACM-1410\t1\n", Judgement("1", "CACM-1410", 1.0)),
        ("1 0 d9 2\r\n", Judgement("1", "d9", 2.0)),
        ("1 Q0 d9 -1", Judgement("1", "d9", -1.0)),
        ("query-id\tcorpus-id\tscore\n", None),
        ("qid 0 docid relevance", None),
        ("\n", None),
    ],
)
def test_a_judgement_has_three_or_four_columns_and_a_header_is_none(line, judgement):
    assert parse_qrels_line(line) == judgement


@pytest.mark.parametrize("line", ["1\td1", "1 0 d1 1 x", "1\td1\thigh", "1\td1\tnan"])
def test_other_judgements_are_refused(line):
    with pytest.raises(ValueError, match="judgement"):
        parse_qrels_line(line)
