"""Are files of a site found like its pages, and is one that cannot be read explained?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.page.read_response import OFFICE_TYPES
from tests import made_files
from tests.commands import said
from tests.e2e.crawls import crawl
from tests.sites.generated import Resource, Site

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sites.generated import Server

DOCX, XLSX = OFFICE_TYPES[0], OFFICE_TYPES[2]
PDF = "application/pdf"
FILES = {
    "/silk.pdf": (PDF, made_files.pdf(["Silk is strong.", "The viscid thread holds flies."])),
    "/scan.pdf": (PDF, made_files.pdf([""])),
    "/broken.pdf": (PDF, b"%PDF-1.4 and nothing more"),
    "/report.docx": (DOCX, made_files.docx([("Heading1", "On Glue"), ("", "Glue is viscid.")])),
    "/table.xlsx": (XLSX, made_files.xlsx("Webs", [["orb", "viscid"], ["sheet", "dry"]])),
    "/bomb.docx": (DOCX, made_files.archive({"word/document.xml": b"<a>" + b" " * 150_000_000})),
}


def publish(server: Server) -> Site:
    links = "".join(f"<a href={path}>{path}</a>" for path in FILES)
    site = Site(server.origin())
    site.resources[site.seed] = Resource(body=f"<title>Files</title><p>All: {links}".encode())
    for path, (kind, body) in FILES.items():
        site.resources[site.origin + path] = Resource(body=body, headers=(("Content-Type", kind),))
    return server.publish(site)


def reason(data: Path, url: str) -> str:
    return str(said("explain-url", url, "--data", data)["reason"])


def test_files_are_found_and_those_that_cannot_be_read_have_a_reason(server, data):
    site = publish(server)

    report = crawl(site.seed, data)
    said("index", "--data", data)

    assert report["unexplained"] == 0
    found = said("search", "viscid", "--data", data)["hits"]
    assert {hit["url"].removeprefix(site.origin) for hit in found} == {
        *("/silk.pdf", "/report.docx", "/table.xlsx"),
    }
    assert [hit["page"] for hit in found if hit["url"].endswith("silk.pdf")] == [2]
    only = said("search", "viscid kind:pdf", "--data", data)["hits"]
    assert [hit["url"] for hit in only] == [f"{site.origin}/silk.pdf"]
    assert reason(data, f"{site.origin}/scan.pdf") == "file-without-text"
    assert reason(data, f"{site.origin}/broken.pdf") == "file-damaged"
    assert reason(data, f"{site.origin}/bomb.docx") == "file-too-large"
