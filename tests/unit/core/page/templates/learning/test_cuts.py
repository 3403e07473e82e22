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


@given(AFFIX, AFFIX, st.text(alphabet="ab: ($.-", max_size=12))
def test_a_template_cuts_as_the_learner_does(left: str, right: str, text: str):
    cut = Cut(" ".join(left.split(" ")), right)
    text = " ".join(text.split())

    if cut != NO_CUT and "  " not in left + right:
        assert clean(text, cut.replacements()).strip() == cut.apply(text)
