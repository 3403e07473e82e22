from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.crawl.host_quota import MOST_WORTH, ceiling, first_ceiling
from gossamer.core.crawl.traps import TrapConfig

DEFAULT = TrapConfig()
COUNTS = st.integers(0, 10**9)
WORTHS = st.integers(-MOST_WORTH, MOST_WORTH)
QUOTAS = st.builds(
    TrapConfig,
    per_host=st.integers(1, 10**7),
    host_start=st.integers(1, 10**7),
    host_growth=st.integers(0, 100),
)


@pytest.mark.parametrize(
    ("pages", "worth", "urls"),
    [
        (0, 0, 1_000),
        (0, 2, 1_000),
        (10, 0, 1_400),
        (1_000, 0, 5_000),
        (1_000, 1, 9_000),
        (1_000, 2, 17_000),
        (1_000, -1, 3_000),
        (1_000, -2, 2_000),
        (100_000, 0, 41_000),
        (10**9, 2, 1_000_000),
    ],
)
def test_a_host_earns_urls_by_its_pages_and_its_worth(pages, worth, urls):
    assert ceiling(DEFAULT, pages, worth) == urls


@pytest.mark.parametrize(
    ("worth", "rest"), [(-2, 2_618), (-1, 5_828), (0, 17_944), (1, 65_992), (2, 257_996)]
)
def test_a_host_whose_every_url_is_a_page_comes_to_rest(worth, rest):
    urls = 0
    while (more := ceiling(DEFAULT, urls, worth)) > urls:
        urls = more

    assert urls == pytest.approx(rest, abs=20)


def test_without_growth_a_host_stays_at_its_start():
    assert ceiling(TrapConfig(host_start=7, host_growth=0), 10**6, 2) == 7


@given(QUOTAS, COUNTS, WORTHS)
def test_a_ceiling_lies_between_the_first_and_the_last(quotas, pages, worth):
    assert first_ceiling(quotas) <= ceiling(quotas, pages, worth) <= quotas.per_host


@given(QUOTAS, COUNTS, COUNTS, WORTHS, WORTHS)
def test_more_pages_and_more_worth_never_earn_less(quotas, pages, more, worth, other):
    low, high = sorted((worth, other))

    assert ceiling(quotas, pages, low) <= ceiling(quotas, pages + more, high)
