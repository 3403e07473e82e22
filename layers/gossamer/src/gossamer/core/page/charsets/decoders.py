"""Decode bytes as browsers do (https://encoding.spec.whatwg.org), where Python differs.

Python's codecs are those of the standards; browsers read what people wrote with the extensions of
Microsoft, NEC and Hong Kong. Compared with Chromium's TextDecoder over all codes of two bytes.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, Final

from gossamer.core.page.charsets.big5_table import BIG5

if TYPE_CHECKING:
    from collections.abc import Callable

    Handler = Callable[[UnicodeError], tuple[str, int]]

REPLACED: Final = "\ufffd"
_EURO = "€"
# Chinese characters that had no code in Unicode when Python's table was made.
_GB18030: Final = str.maketrans(
    dict(
        zip(
            "\ue5e5\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796\ue7c7"
            "\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864",
            "\u3000\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18\ufe19\u1e3f"
            "\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb",
            strict=True,
        )
    )
)
_BIG5_SIGNS: Final = str.maketrans("•､‾∼♁☉¥¢£", "‧﹑¯～⊕⊙￥￠￡")
_EUC_JP: Final = str.maketrans("〜‖−¢£¬", "～∥－￠￡￢")
_KOI8_U: Final = str.maketrans("\u255d\u256c", "\u045e\u040e")
_HEBREW_ONLY: Final = 0xCA  # free in windows-1255 alone, and a vowel there by now
_split_2022 = re.compile(rb"\x1b(\([BJI]|\$[@B])").split


def decode_as(body: bytes, codec: str) -> str:
    """The characters of a body in an encoding, as Python names it. Never raises."""
    special = _DECODERS.get(codec)
    if special is not None:
        return special(body)
    return body.decode(codec, _HANDLERS.get(codec, "replace"))


def _gb18030(body: bytes) -> str:
    return body.decode("gb18030", "gossamer-gb18030").translate(_GB18030)


def _big5(body: bytes) -> str:
    return body.decode("big5hkscs", "gossamer-big5").translate(_BIG5_SIGNS)


def _euc_jp(body: bytes) -> str:
    return body.decode("euc_jp", "gossamer-euc-jp").translate(_EUC_JP)


def _koi8_u(body: bytes) -> str:
    return body.decode("koi8_u").translate(_KOI8_U)


def _iso_2022_jp(body: bytes) -> str:
    """Escape sequences switch between character sets: each stretch is decoded by its own."""
    first, *parts = _split_2022(body)
    read = zip(parts[::2], parts[1::2], strict=True)
    return _ascii(first) + "".join(_stretch(escape, piece) for escape, piece in read)


def _stretch(escape: bytes, piece: bytes) -> str:
    if escape == b"(B":
        return _ascii(piece)
    if escape == b"(J":
        return _ascii(piece).translate({0x5C: "¥", 0x7E: "‾"})
    if escape == b"(I":
        return bytes(byte | 0x80 if 0x21 <= byte <= 0x5F else byte for byte in piece).decode(
            "cp932", "replace"
        )
    # A line break ends what was forgotten to be ended.
    lines = piece.split(b"\n")
    first = _euc_jp(bytes(byte | 0x80 if 0x21 <= byte <= 0x7E else byte for byte in lines[0]))
    return "\n".join([first, *map(_ascii, lines[1:])])


def _ascii(piece: bytes) -> str:
    return piece.decode("ascii", "replace")


def _or_replaced(read: Callable[[bytes], str | None]) -> Handler:
    """A handler that reads what a codec cannot; an error takes as many bytes as in browsers."""

    def handle(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeDecodeError):
            raise error
        at = error.start
        pair = error.object[at : at + 2]
        for piece in (pair, pair[:1]):
            text = read(piece)
            if text is not None:
                return text, at + len(piece)
        # A letter or sign of ASCII is never swallowed, for it may be the "<" of a tag.
        return REPLACED, at + (2 if len(pair) == 2 and pair[1] >= 0x80 else 1)

    return handle


def _none(piece: bytes) -> str | None:
    return None


def _single_euro(piece: bytes) -> str | None:
    return _EURO if piece == b"\x80" else None


def _vendor_japanese(pair: bytes) -> str | None:
    """A character that NEC or IBM added to JIS X 0208, from its place in Shift_JIS."""
    if len(pair) < 2 or not (0xA1 <= pair[0] <= 0xFE and 0xA1 <= pair[1] <= 0xFE):
        return None
    row, cell = pair[0] - 0xA1, pair[1] - 0xA1
    lead = 0x81 + row // 2 + (0x40 if row >= 62 else 0)
    trail = 0x9F + cell if row % 2 else 0x40 + cell + (cell >= 63)
    try:
        return bytes((lead, trail)).decode("cp932")
    except UnicodeDecodeError:
        return None


codecs.register_error("gossamer-pair", _or_replaced(_none))
codecs.register_error("gossamer-gb18030", _or_replaced(_single_euro))
codecs.register_error("gossamer-big5", _or_replaced(BIG5.get))
codecs.register_error("gossamer-euc-jp", _or_replaced(_vendor_japanese))


def _free_code(error: UnicodeError) -> tuple[str, int]:
    """Microsoft left codes free; to browsers they are control characters."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    code = error.object[error.start]
    if code == _HEBREW_ONLY:
        return "\u05ba", error.start + 1
    return chr(code) if code < 0xA0 else REPLACED, error.start + 1


codecs.register_error("gossamer-free-code", _free_code)

_DECODERS: Final[dict[str, Callable[[bytes], str]]] = {
    "gb18030": _gb18030,
    "big5hkscs": _big5,
    "euc_jp": _euc_jp,
    "iso2022_jp": _iso_2022_jp,
    "koi8_u": _koi8_u,
}
_PAIRS: Final = ("cp932", "cp949")
_HANDLERS: Final = dict.fromkeys(_PAIRS, "gossamer-pair") | {
    f"cp{number}": "gossamer-free-code" for number in (874, *range(1250, 1259))
}
