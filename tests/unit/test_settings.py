from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.core.index.segments.formats import READ_FORMATS, WRITTEN_FORMATS
from gossamer.settings import Settings


def test_without_variables_everything_has_its_default():
    assert Settings.from_environ({}) == Settings()


def test_every_setting_has_its_variable():
    environ = {
        "GOSSAMER_HOME": "local",
        "GOSSAMER_DATA": "/srv/gossamer",
        "GOSSAMER_COLLECTION": "news",
        "GOSSAMER_WORKERS": "3",
    }

    settings = Settings.from_environ(environ)

    assert settings == Settings("local", "/srv/gossamer", "news", 3)


def test_variables_of_others_are_none_of_our_business():
    assert Settings.from_environ({"PATH": "/bin", "MY_GOSSAMER_DATA": "x"}) == Settings()


def test_an_unknown_variable_is_refused_with_the_known_ones():
    with pytest.raises(ConfigurationError) as caught:
        Settings.from_environ({"GOSSAMER_DTA": "/srv"})

    assert "unknown setting GOSSAMER_DTA" in str(caught.value)
    assert "GOSSAMER_DATA" in str(caught.value)


@pytest.mark.parametrize("workers", ["", "two", "-1", "1.5", "²"])
def test_a_number_of_workers_that_is_none_is_refused(workers):
    with pytest.raises(ConfigurationError, match="GOSSAMER_WORKERS must be a number"):
        Settings.from_environ({"GOSSAMER_WORKERS": workers})


def test_the_seconds_of_a_search_are_a_number_above_0():
    assert Settings.from_environ({"GOSSAMER_SEARCH_SECONDS": "0.5"}).search_seconds == 0.5


@pytest.mark.parametrize("seconds", ["", "0", "0.0", "-1", "nan", "inf", "two", "1e3"])
def test_seconds_of_a_search_that_are_none_are_refused(seconds):
    with pytest.raises(ConfigurationError, match="GOSSAMER_SEARCH_SECONDS must be a number above"):
        Settings.from_environ({"GOSSAMER_SEARCH_SECONDS": seconds})


def test_a_collection_has_its_own_file_and_folder():
    settings = Settings(data="/srv", collection="news")

    assert settings.database == Path("/srv/news.db")
    assert settings.warc_folder == Path("/srv/warc/news")


def test_settings_cannot_be_changed():
    with pytest.raises(AttributeError):
        Settings().data = "elsewhere"  # type: ignore[misc]


@pytest.mark.parametrize("name", ["../up", "a/b", "..", ".", "", "-x", "a\0b", "x" * 101])
def test_a_collection_whose_name_is_a_path_is_refused(name):
    with pytest.raises(ConfigurationError, match="is no name"):
        Settings.from_environ({"GOSSAMER_COLLECTION": name})


@pytest.mark.parametrize(
    "given",
    [
        {"GOSSAMER_SIGNING_KEY": "key.pem"},
        {"GOSSAMER_SIGNATURE_AGENT": "https://search.example"},
        {"GOSSAMER_SIGNING_KEY": "key.pem", "GOSSAMER_SIGNATURE_AGENT": "http://search.example"},
        {"GOSSAMER_SIGNING_KEY": "key.pem", "GOSSAMER_SIGNATURE_AGENT": "https://a.test/path"},
    ],
)
def test_a_key_without_the_origin_of_its_directory_is_refused(given):
    with pytest.raises(ConfigurationError, match="GOSSAMER_SIGNATURE_AGENT"):
        Settings.from_environ(given)


@pytest.mark.parametrize("format", [str(WRITTEN_FORMATS[0] - 1), str(READ_FORMATS[-1]), "two", ""])
def test_a_format_of_the_index_that_cannot_be_written_is_refused(format):
    """The next format is read, but nothing is written in it yet."""
    with pytest.raises(ConfigurationError, match=f"GOSSAMER_INDEX_FORMAT must be .*{format!r}"):
        Settings.from_environ({"GOSSAMER_INDEX_FORMAT": format})

    written = {"GOSSAMER_INDEX_FORMAT": str(WRITTEN_FORMATS[-1])}
    assert Settings.from_environ(written).index_format == WRITTEN_FORMATS[-1]
