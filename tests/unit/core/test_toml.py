"""Is TOML read as tomllib reads it, but for keys whose parts would cost too much time?"""

from __future__ import annotations

import tomllib

import pytest

from gossamer.core.collection import CollectionSettings
from gossamer.core.crawl.job import read_job
from gossamer.core.errors import ConfigurationError, SettingError
from gossamer.core.page.templates.template import read_template
from gossamer.core.settings_file import changed, read_settings, to_toml
from gossamer.core.toml import MAX_KEY_PARTS, parse_toml

LONG = ".".join(["a"] * (MAX_KEY_PARTS + 1))
LONGEST = ".".join(["a"] * MAX_KEY_PARTS)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"[{LONG}]", 1),
        (f"x = 1\n[[ {LONG} ]]\n", 2),
        (f"x = 1\n\n{LONG} = 2", 3),
        (f'x = """\n\\""" "\n"""\ny = {{ {LONG} = 2 }}', 4),
        (f"x = '''\n''\n'''''\n{LONG} = 2", 4),
        ('\'x\'."y\\"" . ' + LONG + " = 2", 1),
        (f"# it's\n{LONG} = 2", 2),
    ],
)
def test_a_key_of_too_many_parts_is_refused_with_its_line(text, line):
    with pytest.raises(ValueError, match=rf"more than 16 parts; shorten it \(at line {line}, "):
        parse_toml(text)


@pytest.mark.parametrize(
    "text",
    [
        f"[{LONGEST}]\n{LONGEST} = 1",
        f"x = '{LONG}'\ny = \"{LONG}\"",
        f"# {LONG}",
        f'x = """\n{LONG} = 1\n\\"""\n{LONG} = 1\n""""',
        f"x = '''\n{LONG} = 1\n''''",
        "x = [1.5, 1979-05-27T07:32:00.999Z]",
    ],
)
def test_texts_and_comments_may_hold_any_number_of_dots(text):
    assert parse_toml(text) == tomllib.loads(text)


@pytest.mark.parametrize(
    "text", ['x = """', "x = '''", 'x = "', "x = '", 'x = """\\', '"""\\""" \\""" \\"""', "[" * 9]
)
def test_what_has_no_end_is_no_toml(text):
    with pytest.raises(tomllib.TOMLDecodeError):
        parse_toml(text)


def test_who_reads_settings_jobs_and_templates_names_the_line():
    text = f"\n[{LONG}]\n"

    with pytest.raises(SettingError) as settings:
        read_settings(text, "collection.toml")
    with pytest.raises(ConfigurationError, match=r"job\.toml: .*more than 16 parts.* line 2"):
        read_job(text, "job.toml")
    with pytest.raises(ConfigurationError, match=r"more than 16 parts"):
        read_template(text, "shop.toml")
    with pytest.raises(ConfigurationError, match="no name of a setting"):
        changed(CollectionSettings(), [f"{LONG}=1"])

    assert (settings.value.line, "more than 16 parts" in str(settings.value)) == (2, True)


def test_settings_are_read_as_they_are_written():
    settings = CollectionSettings(words={LONG: 2.0})

    assert read_settings(to_toml(settings), "collection.toml") == settings
