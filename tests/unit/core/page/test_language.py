import tomllib
from pathlib import Path

import pytest

from gossamer.core.page.html import parse_page
from gossamer.core.page.language import MIN_CORRECTED, MIN_GUESSED, language_of

_FILE = Path(__file__).parents[3] / "golden" / "languages.toml"
TEXTS = {
    language: " ".join(text.split())
    for language, text in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}
ENGLISH, GERMAN = TEXTS["en"], TEXTS["de"]
CODE = "\n".join(f"def f{n}(x): return g{n}(x)" for n in range(40))


@pytest.mark.parametrize("language", TEXTS)
def test_a_few_sentences_tell_their_language(language):
    assert len(TEXTS[language]) >= MIN_GUESSED

    assert language_of(TEXTS[language]) == language


@pytest.mark.parametrize("language", sorted(TEXTS.keys() - {"en"}))
def test_a_page_that_declares_a_wrong_language_is_corrected(language):
    text = TEXTS[language] + "\n" + TEXTS[language]

    assert language_of(text, "en") == language


@pytest.mark.parametrize("language", TEXTS)
def test_a_page_that_declares_its_language_is_believed(language):
    assert language_of(TEXTS[language] * 3, language) == language


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        (GERMAN[: MIN_CORRECTED - 1], "en"),  # too short to contradict
        (TEXTS["no"] * 3, "nb"),  # the same by another name
        (TEXTS["no"] * 3, "nn"),
        (TEXTS["no"] * 3, "da"),  # too near
        (ENGLISH * 3, "gsw"),  # cannot be compared
        (CODE, "fr"),  # no prose
        ("", "fr"),
    ],
)
def test_what_is_declared_stays_unless_the_text_clearly_contradicts(text, declared):
    assert language_of(text, declared) == declared


def test_code_and_names_in_latin_letters_do_not_hide_another_script():
    text = "\n".join(
        [TEXTS["ru"], "apt-get install spider-web --yes && systemctl restart web", CODE]
    )

    assert language_of(text) == "ru"


def test_short_lines_are_not_what_a_text_is_in():
    menu = "\n".join(["Home", "Contact us", "About this site", "Sign in", "Search"] * 20)

    assert language_of(f"{menu}\n{GERMAN}\n{menu}") == "de"


@pytest.mark.parametrize("text", ["", "short", "1234567890 " * 100, "𐐀𐐁 ʘʘ ꯀꯁ " * 100, "\n" * 5000])
def test_what_is_no_prose_has_no_language(text):
    assert language_of(text) == ""


def test_a_page_is_in_the_language_of_its_text_not_of_its_template():
    html = f'<html lang="en"><title>Netz</title><main><p>{GERMAN}</p><p>Und: {GERMAN}</p></main>'

    parsed = parse_page(html.encode(), "http://a.test/", content_type="text/html; charset=utf-8")

    assert parsed.documents[0].language == "de"


PROSE = (
    "The command creates a new table that is empty at first and owned by the user who calls it. "
)
SYNOPSIS = (
    "[ CONSTRAINT nazev ] { NOT NULL | CHECK ( vyraz ) [ NO INHERIT ] | DEFAULT vyraz }\n" * 60
)


def test_code_has_no_part_in_the_language_of_a_page():
    """PostgreSQL's page about CREATE TABLE was Czech by its synopsis."""
    page = f"<html><body><h1>CREATE TABLE</h1><PRE>{SYNOPSIS}</PRE><p>{PROSE * 5}</p></body></html>"

    for html in (page, page.replace("PRE", "pre")):
        [document] = parse_page(html.encode(), "http://a.test/", content_type="text/html").documents
        assert "CONSTRAINT nazev" in document.text
        assert document.language == "en"


def test_a_page_that_is_all_code_is_told_by_that():
    html = f"<html><body><pre>{PROSE * 5}</pre></body></html>"

    [document] = parse_page(html.encode(), "http://a.test/", content_type="text/html").documents

    assert document.language == "en"


def test_where_none_is_declared_names_without_function_words_have_no_language():
    names = "Event Trigger Support by Command Tag ddl_command_start sql_drop table_rewrite\n" * 20

    assert language_of(names) == ""
    assert language_of(names, "en") == "en"
