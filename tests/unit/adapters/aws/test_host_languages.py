"""What does counting the languages of hosts cost?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.page.host_language import MAX_COUNTED_PAGES

if TYPE_CHECKING:
    from gossamer.adapters.aws.home import AwsHome


def units_of_batch(home: AwsHome, host: str, pages: int) -> tuple[float, float]:
    """Count pages that tell a language and look up one that does not, as a batch of PARSE does."""
    before = home.meter.totals()
    for _ in range(pages):
        home.host_languages.add(host, {"en": 1})
    home.host_languages.pages(host)
    home.commit()
    after = home.meter.totals()
    return tuple(after.get(unit, 0.0) - before.get(unit, 0.0) for unit in ("rru", "wru"))  # type: ignore[return-value]


def test_a_batch_reads_a_host_once_and_writes_it_once(home: AwsHome):
    assert units_of_batch(home, "a.test", 9) == (0.5, 1.0)
    assert units_of_batch(home, "a.test", 9) == (0.5, 1.0)
    assert units_of_batch(home, "b.test", 0) == (0.5, 0.0)


def test_a_host_with_enough_pages_is_read_once_by_a_process_and_not_written(home: AwsHome):
    units_of_batch(home, "a.test", MAX_COUNTED_PAGES)

    assert units_of_batch(home, "a.test", 9) == (0.5, 0.0)
    assert units_of_batch(home, "a.test", 9) == (0.0, 0.0)


def test_counts_of_several_processes_add_up(cloud):
    one, other = cloud.open(), cloud.open()
    for opened, language in ((one, "en"), (other, "de"), (one, "en")):
        opened.host_languages.add("a.test", {language: 1})
        opened.commit()

    assert other.host_languages.pages("a.test") == {"en": 2, "de": 1}
