import io
import zipfile

import pytest

from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.page.files.signatures import (
    OTHER,
    PDF,
    ZIP,
    kind_of,
    picture_type,
    type_of_archive,
)
from gossamer.core.page.read_response import read_response

RULES = Rules(JobConfig())
HTML = (("Content-Type", "text/html"),)


def archive(**files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as into:
        for name, text in files.items():
            into.writestr(name.replace("__", "/").replace("_x", ".x"), text)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"%PDF-1.7 ...", PDF),
        (b"\n%PDF-1.4", PDF),
        (b"PK\x03\x04 ...", ZIP),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", OTHER),
        (b"GIF89a\x01\0", OTHER),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", OTHER),
        (b"RIFF\x24\0\0\0WEBPVP8 ", OTHER),
        (b"\0\0\0\x20ftypisom", OTHER),
        (b"\x1f\x8b\x08\0", OTHER),
        (b"<html>", ""),
        (b"About %PDF-1.7 and GIF89a", ""),
        (b"GIF89 is a format", ""),
        (b"Rar! said the lion", ""),
        (b"", ""),
    ],
)
def test_a_file_is_known_by_its_first_bytes(body, kind):
    assert kind_of(body) == kind


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
        (b"GIF89a\x01\0", "image/gif"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
        (b"\0\0\0\x20ftypavif", "image/avif"),
        (b"RIFF\x24\0\0\0WAVE", ""),
        (b"\0\0\0\x20ftypisom", ""),
        (b"<svg xmlns='http://www.w3.org/2000/svg'>", ""),
        (b"<html>", ""),
        (b"", ""),
    ],
)
def test_a_picture_that_is_shown_is_known_by_its_first_bytes(body, kind):
    assert picture_type(body) == kind


@pytest.mark.parametrize(
    ("body", "reason"), [(b"GIF89a\x01\0", "picture"), (b"<svg><script>1</script>", "not-text")]
)
def test_a_picture_that_was_asked_for_is_no_document(body, reason):
    kind = (("Content-Type", "image/gif"),)

    parsed = read_response("page", body, "http://a.test/a.gif", kind, RULES)

    assert (parsed.documents, parsed.reason) == ([], reason)


def test_an_archive_is_known_by_what_is_in_it():
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

    assert type_of_archive(archive(word__document_xml="<x/>")) == word
    assert type_of_archive(archive(mimetype="application/epub+zip")) == "application/epub+zip"
    assert type_of_archive(archive(other="x")) == ""
    assert type_of_archive(b"PK\x03\x04 broken") == ""


@pytest.mark.parametrize("body", [b"\x89PNG\r\n\x1a\n", archive(other="x"), b"\x1f\x8b\x08\0"])
def test_what_is_no_text_is_no_document_whatever_its_server_says(body):
    parsed = read_response("page", body, "http://a.test/", HTML, RULES)

    assert (parsed.documents, parsed.reason) == ([], "not-text")


def test_a_pdf_that_is_sent_as_html_is_read_as_what_it_is():
    parsed = read_response("page", b"%PDF-1.4 broken", "http://a.test/", HTML, RULES)

    assert parsed.reason == "file-damaged"
