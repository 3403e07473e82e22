import pytest

from gossamer.core.page.page_dates.near_title import date_near_title


@pytest.mark.parametrize(
    ("html", "language", "date"),
    [
        ("<h1>T</h1><p>December 16, 2025</p>", "en", "2025-12-16"),
        ("<h1>T</h1><span>Published on</span> <b>16 Dec 2025</b>", "en", "2025-12-16"),
        ("<h1>T</h1><p>Posted on: Tuesday, December 16, 2025 | 5 min read", "en", "2025-12-16"),
        ("<div>16. Dezember 2025</div><h1>T</h1>", "de", "2025-12-16"),
        ("<h1>T</h1><p>16 décembre 2025", "fr", "2025-12-16"),
        ("<h1>T</h1><p>2025年12月16日", "ja", "2025-12-16"),
        ("<h1>T</h1><p>3/4/2025", "en", "2025-03-04"),
        ("<h1>T</h1><p>3/4/2025", "en-gb", "2025-04-03"),
        ("<h1>T</h1><time datetime='2025-12-16T10:00:00Z'>long ago", "en", "2025-12-16T10:00:00Z"),
        ("<h1>T</h1><p>Essay - Published: 2025.12.16 | <a>tags", "en", "2025-12-16"),
        ("<h1>T</h1><p>By A. Writer • December 16, 2025 • 5 min read", "en", "2025-12-16"),
        ("<h1>T</h1><p>Updated: 2 May 2026</p><p>16 December 2025", "en", "2025-12-16"),
        ("<h1>T</h1><b>Last updated</b><i>2 May 2026</i><b>16 Dec 2025</b>", "en", "2025-12-16"),
        ("<p>16 Dec 2025</p><p>Updated: 2 May 2026</p><h1>T</h1>", "en", "2025-12-16"),
        ("<b>Updated</b><b>2 May 2026</b><h1>T</h1>", "en", "2026-05-02"),
        ("<title>A long voyage | Site</title><p>A long voyage</p>16 Dec 2025", "en", "2025-12-16"),
        ("<title>T | Site</title><p>T</p>16 Dec 2025", "en", ""),
        # A sentence, a version, a licence, a script, or a date that is far away.
        ("<h1>T</h1><p>It was written on December 16, 2025 by us", "en", ""),
        ("<h1>T</h1><p>Version 2, June 1991", "en", ""),
        ("<h1>T</h1><p>1.1.35: Feb 16 2022", "en", ""),
        ("<h1>T</h1><script>December 16, 2025</script>", "en", ""),
        (f"<h1>T</h1><p>{'word ' * 300}<p>December 16, 2025", "en", ""),
        ("<p>December 16, 2025", "en", ""),
        ("<h1>T</h1><p>2025", "en", ""),
    ],
)
def test_a_date_counts_that_stands_alone_beside_the_title(html, language, date):
    assert date_near_title(html, language) == date


def test_hostile_markup_takes_no_time():
    for piece in ("<", "<time ", "<script ", "2025 ", "<time datetime='", "posted "):
        date_near_title("<h1>" + piece * 20_000)
