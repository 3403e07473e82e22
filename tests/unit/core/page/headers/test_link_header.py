import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.headers.link_header import MAX_LINKS, header_links


@pytest.mark.parametrize(
    ("value", "links"),
    [
        ('<http://a.test/x>; rel="canonical"', [("http://a.test/x", {"canonical"}, "")]),
        ("</x>;rel=canonical", [("/x", {"canonical"}, "")]),
        (
            '</de>; rel="alternate"; hreflang="de", </a,b;c>; REL="next prefetch"; title="a, b"',
            [("/de", {"alternate"}, "de"), ("/a,b;c", {"next", "prefetch"}, "")],
        ),
        ("</x>; rel=canonical; rel=next", [("/x", {"canonical"}, "")]),
        ('</x>; rel=canonical; anchor="/other"', []),
        ("/x; rel=canonical", []),
        ("", []),
    ],
)
def test_the_links_of_a_header_are_read(value, links):
    assert [(link.href, set(link.rel), link.hreflang) for link in header_links([value])] == links


def test_only_so_many_links_are_read():
    assert len(list(header_links(["</x>; rel=next, " * 1000]))) == MAX_LINKS


@given(st.text(alphabet='<>;,=" arel\u00e9', max_size=200))
def test_no_header_raises(value):
    list(header_links([value]))
