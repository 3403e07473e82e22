import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.directives import (
    Directives,
    header_directives,
    meta_directives,
    product_token,
)

NOTHING = Directives()
NOINDEX = Directives(noindex=True)
NOFOLLOW = Directives(nofollow=True)
NONE = Directives(noindex=True, nofollow=True)


def until(moment):
    return Directives(unavailable_after=float(moment))


END = until(1277478000)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([], NOTHING),
        ([""], NOTHING),
        (["all"], NOTHING),
        (["index, follow"], NOTHING),
        (["noindex"], NOINDEX),
        (["NoIndex"], NOINDEX),
        (["none"], NONE),
        (["noindex, nofollow"], NONE),
        (["noindex", "nofollow"], NONE),
        (["noarchive"], Directives(noarchive=True)),
        (["nosnippet"], NOTHING),
        (["nosnippet, noimageindex"], Directives(noimageindex=True)),
        (["unavailable_after: 25 Jun 2010 15:00:00 PST"], until(1277506800)),
        (["unavailable_after: Friday, 25-Jun-10 15:00:00 GMT"], until(1277478000)),
        (["nofollow; unavailable_after: 2010-06-25T15:00:00+00:00; noindex"], NONE | END),
        (["unavailable_after: 2010-06-25 15:00 , noindex"], NOINDEX | END),
        (["gossamer: unavailable_after: 25 Jun 2010 15:00:00 GMT"], END),
        (["otherbot: unavailable_after: 25 Jun 2010 15:00:00 GMT"], NOTHING),
        (["unavailable_after: 26 Jun 2010", "unavailable_after: 25 Jun 2010 15:00:00 GMT"], END),
        (["unavailable_after: 26 Jun 2010"], until(1277510400)),
        (["unavailable_after: some day, noindex"], NOINDEX),
        (["noindex;nofollow"], NONE),
        (["max-snippet: 20, nofollow"], NOFOLLOW),
        (["max-image-preview:large"], NOTHING),
        (["otherbot: noindex"], NOTHING),
        (["otherbot: noindex, nofollow"], NOTHING),
        (["gossamer: noindex"], NOINDEX),
        (["Gossamer : noindex, nofollow"], NONE),
        (["gossamer: nofollow, otherbot: noindex"], NOFOLLOW),
        (["noindex", "gossamer: nofollow"], NONE),
        (["noindex", "gossamer: all"], NOINDEX),
        (["otherbot: none", "nofollow"], NOFOLLOW),
        (["noindexing"], NOTHING),
    ],
)
def test_a_header_says_what_is_forbidden_to_us(values, said):
    assert header_directives(values, "Gossamer/0.1 (+https://a.test/bot)") == said


@pytest.mark.parametrize(
    ("metas", "said"),
    [
        ([], NOTHING),
        ([("robots", "noindex,nofollow")], NONE),
        ([("ROBOTS", "NOINDEX")], NOINDEX),
        ([("robots", "noindex nofollow")], NONE),
        ([("robots", "noindex"), ("robots", "nofollow")], NONE),
        ([("googlebot", "noindex")], NOTHING),
        ([("robots", "none"), ("gossamer", "nofollow")], NONE),
        ([("robots", "nofollow"), ("gossamer", "noindex")], NONE),
        ([("robots", "noindex;nofollow")], NONE),
        ([("robots", "unavailable_after: 25-Jun-2010 15:00:00 GMT")], END),
        ([("robots", "noindex, UNAVAILABLE_AFTER: 2010-06-25T15:00:00Z")], NOINDEX | END),
    ],
)
def test_a_meta_element_says_what_is_forbidden_to_us(metas, said):
    assert meta_directives(metas) == said


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        ("Gossamer/0.1 (+https://a.test/)", "gossamer"),
        ("gossamer", "gossamer"),
        (" My-Bot_x 2", "my-bot_x"),
        ("", ""),
        ("007", ""),
    ],
)
def test_an_agent_is_known_by_its_product_token(agent, token):
    assert product_token(agent) == token


@given(st.lists(st.text()), st.text())
def test_no_header_raises(values, agent):
    header_directives(values, agent)


@pytest.mark.parametrize(
    ("word", "forbidden"), [("noarchive", True), ("nocache", True), ("none", False)]
)
def test_who_wants_no_copy_shown_says_so(word, forbidden):
    assert header_directives([f"index, {word}"]).noarchive is forbidden
    assert meta_directives([("robots", word)]).noarchive is forbidden
