"""The encoding that a label names, as browsers take it: "latin1" is windows-1252.

Encodings that browsers refuse, and that old pages and files are in, are read as well.
"""

from __future__ import annotations

from typing import Final

from resiliparse.parse.encoding import map_encoding_to_html5

# From resiliparse's name to the codec that reads what browsers read under it.
_AS_BROWSERS: Final = {
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "gbk": "gb18030",
    "iso8859-11": "cp874",
    "koi8-u": "koi8_u",
    "mac-roman": "mac_roman",
}
# By label, small and without signs. The first three are browsers' own; they refuse the rest.
_MORE: Final = {
    "xmaccyrillic": "mac_cyrillic",
    "xmacukrainian": "mac_cyrillic",
    "xuserdefined": "cp1252",
    "cp932": "cp932",
    "ms932": "cp932",
    "cp936": "gb18030",
    "ms936": "gb18030",
    "cp949": "cp949",
    "uhc": "cp949",
    "cp950": "big5hkscs",
    "eucjpms": "euc_jp",
    "cp51932": "euc_jp",
    "hzgb2312": "hz",
    "hz": "hz",
    "iso2022kr": "iso2022_kr",
    "csiso2022kr": "iso2022_kr",
    "johab": "johab",
    "utf32": "utf-32",
    "utf32le": "utf-32-le",
    "utf32be": "utf-32-be",
    "maccyrillic": "mac_cyrillic",
    "macroman": "mac_roman",
    "macgreek": "mac_greek",
    "macturkish": "mac_turkish",
    "maccentraleurope": "mac_latin2",
    "ibm437": "cp437",
    "cp437": "cp437",
    "ibm850": "cp850",
    "cp850": "cp850",
    "ibm852": "cp852",
    "cp852": "cp852",
    "ibm855": "cp855",
    "cp855": "cp855",
    "tis620": "cp874",
}


def codec_of(label: str) -> str:
    """Python's name for what a label means; "" for labels that mean nothing."""
    label = label.strip().strip("\"'")
    known: str = map_encoding_to_html5(label, False) or ""
    if not known:
        # Python's own spelling is often written: euc_kr for euc-kr.
        known = map_encoding_to_html5(label.replace("_", "-"), False) or ""
    if known:
        return _AS_BROWSERS.get(known, known)
    return _MORE.get("".join(filter(str.isalnum, label.lower())), "")
