"""Does a report count in words that fit the number?"""

from __future__ import annotations

import pytest

from gossamer.entrypoints.local.report import Report, counted, summary


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 hosts"), (1, "1 host"), (2, "2 hosts"), (2000, "2,000 hosts")]
)
def test_one_is_singular(count, text):
    assert counted(count, "host") == text


def test_a_report_of_one_page_is_singular():
    done = Report(
        job="crawl", state="finished", urls=1, requests=1, pages=1, hosts=1, documents=1,
        document_pages=1, dead_letters=1,
    )  # fmt: skip

    text = summary(done)

    assert "1 page, 1 request, 0 B, 1 host\n" in text
    assert "  1 document on 1 page\n" in text
    assert "  1 URL, each with its reason:\n" in text
    assert "1 dead letter" in text
    assert "1 hosts" not in text
