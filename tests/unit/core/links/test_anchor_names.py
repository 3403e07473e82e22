"""How much a name of a page counts: by who uses it, and by its share of the links."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.links.anchor_names import MOST_TIMES, names_of

OWN, OTHER = 0, 1
LINKS = st.lists(
    st.tuples(
        st.integers(0, 3), st.integers(0, 30), st.sampled_from(["silk", "a web", "orb", "an orb"])
    ),
    max_size=60,
)


def counted(*links: tuple[int, int, str], size: int = 1_000) -> Counter[str]:
    return Counter(names_of(sorted(links), OWN, size))


def test_one_stray_word_is_no_name():
    others = [(OWN, number, "gettext") for number in range(30)]

    assert set(counted(*others, (OWN, 31, "install"), (OWN, 32, "error"))) == {"gettext"}
    assert counted((OTHER, 1, "install")) == {}


def test_a_word_that_two_pages_use_and_words_that_one_uses_are_names():
    found = counted((OWN, 1, "install"), (OWN, 2, "install"), (OWN, 3, "how to install"))

    assert found == {"install": 2, "how to install": 1}


def test_the_repetitions_of_a_name_fall_with_its_share():
    def times(others: int) -> int:
        links = [(OTHER, number, "silk") for number in range(20)]
        links += [(OTHER, 100 + number, f"thread {number}") for number in range(others)]
        return counted(*links)["silk"]

    assert times(0) == MOST_TIMES
    assert times(60) == MOST_TIMES // 2
    assert times(10_000) == 1


@given(LINKS)
def test_the_names_do_not_depend_on_the_order_of_sources(links):
    in_order = sorted({(host, 100 * host + page, text) for host, page, text in links})
    other = sorted(in_order, key=lambda link: (-link[1], link[2]))

    assert names_of(in_order, OWN, 50) == names_of(other, OWN, 50)
