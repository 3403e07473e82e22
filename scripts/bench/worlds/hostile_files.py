"""Files that are made to be read, and files that are made to cost: PDF, zip and XML."""

import io
import random
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
EPUB = "application/epub+zip"
LINES, WORDS = 45, 11  # of a page, as a report set in 11 points has them
_VOWELS, _CONSONANTS = "aeiou", "bcdfghklmnprstvw"


@dataclass(frozen=True, slots=True)
class HostileFile:
    """A file that must end with a reason, or with what was read of it in time."""

    name: str
    media_type: str
    body: bytes


def text_pdf(pages: int, seed: int = 1) -> bytes:
    """A PDF with pages full of words, compressed, as text processors write it."""
    chance = random.Random(seed)
    lexicon = [_word(chance) for _ in range(5_000)]
    return _pdf([_page(chance, lexicon) for _ in range(pages)])


def hostile_files() -> Iterator[HostileFile]:
    """One of each kind of bomb."""
    line = b"BT /F1 12 Tf 72 700 Td (silk) Tj ET\n"
    yield HostileFile("PDF, 300 MB of text on a page", PDF, _pdf([line * (300_000_000 // 36)]))
    yield HostileFile("PDF, forms that call each other", PDF, _nested_forms(9, 10))
    yield HostileFile("PDF, 200,000 pages", PDF, _pdf([line] * 200_000))
    yield HostileFile("zip, 2 GB in one member", DOCX, _docx(_zeros(2_000_000_000)))
    yield HostileFile("zip, 30,000 members", DOCX, _many_members(30_000))
    yield HostileFile("zip, an archive in itself", EPUB, _docx([b"PK\x03\x04" * 100_000]))
    yield HostileFile("XML, a billion laughs", DOCX, _docx([_laughs()]))
    yield HostileFile(
        "XML, 5 million elements", DOCX, _docx([b"<w>", b"<t/>" * 5_000_000, b"</w>"])
    )
    yield HostileFile("XML, a million deep", DOCX, _docx([b"<a>" * 1_000_000]))
    yield HostileFile("XLSX, 3 million cells of one text", XLSX, _xlsx(3_000_000))


def _word(chance: random.Random) -> str:
    pairs = range(chance.randint(1, 4))
    return "".join(chance.choice(_CONSONANTS) + chance.choice(_VOWELS) for _ in pairs)


def _page(chance: random.Random, lexicon: Sequence[str]) -> bytes:
    lines = (" ".join(chance.choices(lexicon, k=WORDS)) for _ in range(LINES))
    shown = " ".join(f"({line}) Tj T*" for line in lines)
    return f"BT /F1 11 Tf 14 TL 72 760 Td {shown} ET".encode()


def _pdf(pages: Sequence[bytes]) -> bytes:
    """A PDF of these contents; equal ones are one object."""
    numbers: dict[bytes, int] = {}
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", _FONT]
    for content in pages:
        if content not in numbers:
            packed = zlib.compress(content, 6)
            objects.append(_stream(packed, b"/Filter/FlateDecode"))
            numbers[content] = len(objects)
    kids = []
    for content in pages:
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R"
            b"/Resources<</Font<</F1 3 0 R>>>>>>" % numbers[content]
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%b]>>" % (len(kids), b" ".join(kids))
    return _assembled(objects)


_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def _stream(data: bytes, more: bytes = b"") -> bytes:
    return b"<</Length %d%b>>stream\n%b\nendstream" % (len(data), more, data)


def _nested_forms(depth: int, width: int) -> bytes:
    """A page whose form draws the next one ten times, and so on: 10^9 drawings of a word."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[4 0 R]>>", _FONT]
    resources = b"/Resources<</Font<</F1 3 0 R>>/XObject<</X %d 0 R>>>>"
    head = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R" + resources
    objects += [head % 6 + b">>", _stream(b"/X Do")]
    for level in range(depth):
        inner = b"/X Do " * width if level < depth - 1 else b"BT /F1 9 Tf (silk) Tj ET"
        form = b"/Type/XObject/Subtype/Form/BBox[0 0 595 842]" + resources % (len(objects) + 2)
        objects.append(_stream(inner, form))
    return _assembled(objects)


def _assembled(objects: Sequence[bytes]) -> bytes:
    out, offsets = io.BytesIO(), []
    out.write(b"%PDF-1.7\n")
    for number, body in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%b\nendobj\n" % (number, body))
    at = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    out.write(b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, at))
    return out.getvalue()


def _zeros(size: int) -> Iterator[bytes]:
    for _ in range(size // 1_000_000):
        yield bytes(1_000_000)


def _docx(pieces: Iterable[bytes]) -> bytes:
    """An office file whose text is these bytes."""
    return _zip({"word/document.xml": pieces})


def _zip(members: dict[str, Iterable[bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, pieces in members.items():
            with file.open(name, "w", force_zip64=True) as member:
                for piece in pieces:
                    member.write(piece)
    return out.getvalue()


def _many_members(count: int) -> bytes:
    return _zip({f"word/{number}.xml": [b"<a/>"] for number in range(count)})


def _laughs() -> bytes:
    entities = '<!ENTITY l0 "silk">' + "".join(
        f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)
    )
    return f"<?xml version='1.0'?><!DOCTYPE w [{entities}]><w><t>&l9;</t></w>".encode()


def _xlsx(cells: int) -> bytes:
    """A workbook in which every cell names the same long text."""
    shared = b"<sst><si><t>" + b"silk " * 1_000 + b"</t></si></sst>"
    row = b"<row>" + b'<c t="s"><v>0</v></c>' * 1_000 + b"</row>"
    rows = (row for _ in range(cells // 1_000))
    sheet = [b"<worksheet><sheetData>", *rows, b"</sheetData></worksheet>"]
    book = [b'<workbook><sheets><sheet name="silk"/></sheets></workbook>']
    return _zip(
        {
            "xl/workbook.xml": book,
            "xl/sharedStrings.xml": [shared],
            "xl/worksheets/sheet1.xml": sheet,
        }
    )
