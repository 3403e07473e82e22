"""Small PDF, office and book files, written by hand for tests."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_A = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
)
_S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_O = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


def pdf(
    pages: Sequence[str], info: Mapping[str, str] | None = None, outline: Sequence[str] = ()
) -> bytes:
    """A PDF file with a line of text on each page."""
    objects: list[bytes] = []

    def add(body: str) -> int:
        objects.append(body.encode("latin-1"))
        return len(objects)

    catalog, tree, font = add(""), add(""), add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    kids = []
    for text in pages:
        marks = "\n".join(
            f"BT /F1 12 Tf 72 {720 - 14 * number} Td ({_literal(line)}) Tj ET"
            for number, line in enumerate(text.split("\n"))
        )
        content = add(f"<</Length {len(marks)}>>stream\n{marks}\nendstream")
        kids.append(
            add(
                f"<</Type/Page/Parent {tree} 0 R/MediaBox[0 0 612 792]/Contents {content} 0 R"
                f"/Resources<</Font<</F1 {font} 0 R>>>>>>"
            )
        )
    entries = _outline(outline, add, kids)
    named = " ".join(f"/{name} ({_literal(value)})" for name, value in (info or {}).items())
    about = add(f"<<{named}>>")
    objects[catalog - 1] = f"<</Type/Catalog/Pages {tree} 0 R{entries}>>".encode()
    listed = " ".join(f"{kid} 0 R" for kid in kids)
    objects[tree - 1] = f"<</Type/Pages/Kids[{listed}]/Count {len(kids)}>>".encode()
    return _assembled(objects, f"/Root {catalog} 0 R/Info {about} 0 R")


def _outline(titles, add, kids) -> str:
    if not titles:
        return ""
    root = add("")
    first = root + 1
    for number, title in enumerate(titles):
        following = f"/Next {first + number + 1} 0 R" if number + 1 < len(titles) else ""
        add(f"<</Title ({_literal(title)})/Parent {root} 0 R{following}/Dest[{kids[0]} 0 R/Fit]>>")
    # The entry of the outline itself is written as one more object that the catalog names.
    last = first + len(titles) - 1
    holder = add(f"<</Type/Outlines/First {first} 0 R/Last {last} 0 R/Count {len(titles)}>>")
    return f"/Outlines {holder} 0 R"


def _literal(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _assembled(objects: Sequence[bytes], trailer: str) -> bytes:
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body or b"null"))
    table = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    for place in places:
        out.write(b"%010d 00000 n \n" % place)
    end = f"trailer\n<</Size {len(objects) + 1}{trailer}>>\nstartxref\n{table}\n%%EOF\n"
    out.write(end.encode())
    return out.getvalue()


def archive(members: Mapping[str, str | bytes]) -> bytes:
    """A ZIP file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, body in members.items():
            file.writestr(name, body)
    return out.getvalue()


def properties(**said: str) -> str:
    """The core properties of a file of Microsoft Office."""
    inside = "".join(f"<dc:{name}>{escape(value)}</dc:{name}>" for name, value in said.items())
    return f'<cp:coreProperties xmlns:cp="cp" xmlns:dc="dc">{inside}</cp:coreProperties>'


def docx(paragraphs: Sequence[tuple[str, str]], **said: str) -> bytes:
    """A text of paragraphs, each with the name of its style, or "" for none."""
    body = "".join(_paragraph(style, text) for style, text in paragraphs)
    return archive(
        {
            "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
            "docProps/core.xml": properties(**said),
        }
    )


def _paragraph(style: str, text: str) -> str:
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{named}<w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def pptx(slides: Sequence[tuple[str, str]]) -> bytes:
    """Slides with a title and a text each."""
    members: dict[str, str | bytes] = {"ppt/presentation.xml": f"<p:presentation {_A}/>"}
    for number, (title, text) in enumerate(slides, 1):
        members[f"ppt/slides/slide{number}.xml"] = (
            f"<p:sld {_A}>"
            f'<p:sp><p:nvPr><p:ph type="title"/></p:nvPr><a:p><a:t>{title}</a:t></a:p></p:sp>'
            f"<p:sp><p:nvPr><p:ph/></p:nvPr><a:p><a:t>{text}</a:t></a:p></p:sp></p:sld>"
        )
    return archive(members)


def xlsx(name: str, rows: Sequence[Sequence[str | float]]) -> bytes:
    """A workbook of one sheet; texts are shared, as programs write them."""
    shared: list[str] = []

    def cell(value: str | float) -> str:
        if not isinstance(value, str):
            return f"<c><v>{value}</v></c>"
        shared.append(value)
        return f'<c t="s"><v>{len(shared) - 1}</v></c>'

    body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    texts = "".join(f"<si><t>{escape(text)}</t></si>" for text in shared)
    return archive(
        {
            "xl/workbook.xml": f'<workbook {_S}><sheets><sheet name="{name}"/></sheets></workbook>',
            "xl/sharedStrings.xml": f"<sst {_S}>{texts}</sst>",
            "xl/worksheets/sheet1.xml": (
                f"<worksheet {_S}><sheetData>{body}</sheetData></worksheet>"
            ),
        }
    )


def odt(content: str, meta: str = "", kind: str = "text") -> bytes:
    """An OpenDocument file with some content as XML."""
    body = f"<office:document-content {_O}><office:body>{content}</office:body>"
    return archive(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"{body}</office:document-content>",
            "meta.xml": f"<office:document-meta {_O}>{meta}</office:document-meta>",
        }
    )


def epub(title: str, chapters: Sequence[str], missing: Sequence[int] = ()) -> bytes:
    """A book whose chapters are bodies of XHTML; its spine names them backwards in the manifest."""
    items = "".join(
        f'<item id="c{number}" href="text/c%20{number}.xhtml" media-type="application/xhtml+xml"/>'
        for number in reversed(range(len(chapters)))
    )
    order = "".join(f'<itemref idref="c{number}"/>' for number in range(len(chapters)))
    members: dict[str, str | bytes] = {
        "META-INF/container.xml": (
            '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
        ),
        "OPS/book.opf": (
            '<package xmlns:dc="dc"><metadata>'
            f"<dc:title>{title}</dc:title><dc:creator>A. Spider</dc:creator>"
            "<dc:language>en-GB</dc:language></metadata>"
            f"<manifest>{items}</manifest><spine>{order}</spine></package>"
        ),
    }
    for number, chapter in enumerate(chapters):
        if number in missing:
            continue
        members[f"OPS/text/c {number}.xhtml"] = (
            f"<html><head><title>{title}</title></head><body>{chapter}</body></html>"
        )
    return archive(members)
