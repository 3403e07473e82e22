"""What stands around a value."""

from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.templates.cleaning import clean
from gossamer.core.page.templates.learning.cuts import NO_CUT, Cut, cut_of

AFFIX = st.text(alphabet="ab: ($.-", max_size=4)


def test_the_cut_is_what_is_the_same_around_all_values():
    assert cut_of([("1. ISBN: ", " (new)"), ("2. ISBN: ", " (used)")]) == Cut(". ISBN: ", " (")


def test_a_value_that_stands_alone_somewhere_is_not_cut():
    assert cut_of([("", ""), ("a ", "")]) == NO_CUT


def test_without_anything_in_common_there_is_no_cut():
    assert cut_of([("a", ""), ("b", "")]) is None


def test_in_a_sentence_a_value_ends_with_its_clause():
    sides = [
        (". Made in 1990, colour: ", ", size: 3."),
        ("Size: 4, colour: ", "."),
        ("colour: ", ""),
    ]

    cut = cut_of(sides)

    assert cut == Cut("colour: ", signs=",.")
    assert cut.apply("Size: 3.5, colour: light blue, weight: 4.") == "light blue"
    assert cut.apply("colour: no. 5") == "no", "what has a sign itself is not found whole"
    assert cut.apply("Size: 3.5.") == ""


def test_without_a_label_or_with_words_behind_it_nothing_says_where_a_value_ends():
    assert cut_of([(", ", ", a"), (", ", ".")]) is None
    assert cut_of([("colour: ", " and"), ("colour: ", ", or")]) is None
    assert cut_of([("colour: ", ",5"), ("colour: ", ".")]) is None


@given(st.sampled_from(["b: ", "a(b: ", "$a "]), st.text(alphabet=",.;)", min_size=1, max_size=3),
       st.text(alphabet="ab: ,.;)$", max_size=16))  # fmt: skip
def test_a_template_ends_values_as_the_learner_does(left: str, signs: str, text: str):
    cut = Cut(left, signs="".join(sorted(set(signs))))
    text = " ".join(text.split())

    assert clean(text, cut.replacements()).strip() == cut.apply(text)


@given(AFFIX, AFFIX, st.text(alphabet="ab: ($.-", max_size=12))
def test_a_template_cuts_as_the_learner_does(left: str, right: str, text: str):
    cut = Cut(" ".join(left.split(" ")), right)
    text = " ".join(text.split())

    if cut != NO_CUT and "  " not in left + right:
        assert clean(text, cut.replacements()).strip() == cut.apply(text)
