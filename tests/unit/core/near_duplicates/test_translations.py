"""Is a page that was not translated told from others by its address?"""

from __future__ import annotations

import pytest

from gossamer.core.near_duplicates.translations import is_untranslated


@pytest.mark.parametrize(
    "url",
    [
        "https://a.test/fr/docs/x",
        "https://a.test/docs/fr",
        "https://a.test/fr-FR/x",
        "https://a.test/FR_ca/x?y=1",
        "https://fr.a.test/x",
        "https://docs.fr.a.test/x",
        "https://a.test/about.fr.html",
        "https://a.test/about.html.fr",
        "https://a.test/x?id=3&lang=fr",
        "https://a.test/x?hl=fr-FR",
        "https://a.test/zh-hans/x",
        "https://a.test/es-419/x",
    ],
)
def test_the_address_of_another_language_than_the_text_is_told(url):
    assert is_untranslated(url, "en")


@pytest.mark.parametrize(
    "url",
    [
        "https://a.test/docs/x",
        "https://example.fr/",
        "https://www.example.it/docs",
        "https://a.test/en/x",
        "https://a.test/en-GB/x",
        "https://en.a.test/x?lang=en",
        "https://a.test/us/x",
        "https://a.test/free/de-facto/x.pl",
        "https://a.test/file.de",
        "https://a.test/?filang=fr&langue=de",
        "https://[bad",
        "file:///srv/x.html",
    ],
)
def test_other_addresses_are_not(url):
    assert not is_untranslated(url, "en")


def test_a_text_without_a_language_is_at_home_anywhere():
    assert not is_untranslated("https://a.test/fr/", "")


def test_norwegian_has_three_names():
    assert not is_untranslated("https://a.test/nb/", "no")
    assert not is_untranslated("https://a.test/no/", "nn")
