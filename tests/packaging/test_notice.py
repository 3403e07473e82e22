"""Does NOTICE list what users install under weak copyleft, and nothing else?"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any

import pytest

from scripts.dist import ROOT

LOCKS = ("layers/deps/requirements.txt", "layers/deps/router.txt", "requirements/build.txt")
COPYLEFT = re.compile(r"GPL|MPL|EPL|CDDL|EUPL|Mozilla|GNU|Eclipse", re.IGNORECASE)
WORDS = ROOT / "layers/gossamer/src/gossamer/search/spelling/words"
OTHER_PLATFORMS = {"colorama": "BSD-3-Clause", "tzdata": "Apache-2.0"}  # locked for Windows alone


def locked_packages() -> set[str]:
    """Return the names of all packages that the locks of users name."""
    text = "\n".join((ROOT / lock).read_text() for lock in LOCKS)
    return set(re.findall(r"^([\w.-]+)(?:\[[\w,-]+\])?==", text, re.MULTILINE))


def licence_of(package: str) -> str:
    """Return what an installed package declares as its licence."""
    try:
        fields: dict[str, Any] = metadata(package).json
    except PackageNotFoundError:
        return OTHER_PLATFORMS[package]
    licence = fields.get("license_expression") or fields.get("license", "").partition("\n")[0]
    classifiers = [text for text in fields.get("classifier", []) if text.startswith("License ::")]
    return str(licence or "; ".join(classifiers))


def listed_packages() -> dict[str, str]:
    """Return the packages of NOTICE with their licences."""
    packages = (ROOT / "NOTICE").read_text().partition("filters of the words")[0]
    return dict(re.findall(r"^    (\w\S*) +(\S.*?)  +https?:", packages, re.MULTILINE))


def sections_of_languages() -> dict[str, tuple[str, str]]:
    """Return the names and texts of the sections on filters of words, by language codes."""
    pattern = re.compile(r"^## (\w+): `(\w+)\.bloom`$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    sections = pattern.findall((WORDS / "NOTICE.md").read_text())
    return {code: (language, text) for language, code, text in sections}


def test_notice_lists_what_is_under_weak_copyleft():
    licences = {package: licence_of(package) for package in locked_packages()}

    assert [package for package, licence in licences.items() if not licence] == []
    expected = {package for package, licence in licences.items() if COPYLEFT.search(licence)}
    assert listed_packages().keys() == expected


@pytest.mark.parametrize("package", listed_packages())
def test_notice_says_the_licence_of_the_locked_release(package):
    def licence_names(licence: str) -> list[str]:
        return re.findall(
            r"[A-Z]+(?:-[\d.]+(?:-\w+)*)?", licence.replace(" OR ", " ").replace(" AND ", " ")
        )

    assert licence_names(listed_packages()[package]) == licence_names(licence_of(package))


def test_every_filter_of_words_has_its_source_and_licence():
    filters = {file.stem for file in WORDS.glob("*.bloom")}

    assert sections_of_languages().keys() == filters
    for _, text in sections_of_languages().values():
        assert "https://" in text
        assert re.search("MIT License|BSD License|Apache License|Mozilla|Redistribution", text)


def test_notice_lists_the_words_under_weak_copyleft():
    rows = re.findall(
        r"^    (\w+) +MPL-[\d.]+ +npm package \S+ [\d.]+ +https:",
        (ROOT / "NOTICE").read_text(),
        re.MULTILINE,
    )

    sections = sections_of_languages().values()
    assert set(rows) == {language for language, text in sections if "[Mozilla Public" in text}
