"""Signs, codes and words by which texts name a currency, and which one they mean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.page.value_texts.numerals import main_language

if TYPE_CHECKING:
    from collections.abc import Set

CODES: Final = frozenset(
    str.split(
        "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN"
        " BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD"
        " FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD"
        " JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT"
        " MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG"
        " QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS"
        " TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR"
        " ZMW ZWL"
    )
)
# Of those the ones that have three decimals: "1.234 KWD" is no thousand.
THREE_DECIMALS: Final = frozenset(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"))
_OLD: Final = {"RMB": "CNY", "NTD": "TWD", "NIS": "ILS", "RUR": "RUB", "TL": "TRY", "UKP": "GBP"}

# What a sign means where nothing says more, and what else it may mean.
_SIGNS: Final[dict[str, str]] = {
    "US$": "USD", "U$S": "USD", "$US": "USD", "USD$": "USD", "AU$": "AUD", "A$": "AUD",
    "CA$": "CAD", "C$": "CAD", "NZ$": "NZD", "HK$": "HKD", "S$": "SGD", "SG$": "SGD",
    "NT$": "TWD", "MX$": "MXN", "R$": "BRL", "RD$": "DOP", "CL$": "CLP", "CO$": "COP",
    "COL$": "COP", "AR$": "ARS", "BZ$": "BZD", "TT$": "TTD", "J$": "JMD", "N$": "NAD",
    "MOP$": "MOP", "Bds$": "BBD", "EC$": "XCD", "FJ$": "FJD", "B$": "BSD", "Z$": "ZWL",
    "$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "CN¥": "CNY", "₹": "INR", "₨": "INR",
    "₩": "KRW", "₽": "RUB", "₺": "TRY", "₴": "UAH", "₪": "ILS", "₫": "VND", "฿": "THB",
    "₦": "NGN", "₱": "PHP", "₡": "CRC", "₲": "PYG", "₵": "GHS", "GH₵": "GHS", "₸": "KZT",
    "₼": "AZN", "₾": "GEL", "֏": "AMD", "₭": "LAK", "₮": "MNT", "៛": "KHR", "৳": "BDT",
    "؋": "AFN", "﷼": "IRR", "ƒ": "ANG", "円": "JPY", "日元": "JPY", "元": "CNY", "人民币": "CNY",
    "人民幣": "CNY", "원": "KRW", "₿": "", "د.إ": "AED", "ر.س": "SAR", "ر.ق": "QAR", "ر.ع": "OMR",
    "د.ك": "KWD", "د.ب": "BHD", "د.أ": "JOD", "د.م": "MAD", "د.ت": "TND", "د.ج": "DZD",
    "د.ع": "IQD", "ج.م": "EGP", "ل.ل": "LBP", "تومان": "IRR", "ريال": "SAR", "درهم": "AED",
    "جنيه": "EGP",
}  # fmt: skip
_WORDS: Final[dict[str, str]] = {
    "zł": "PLN", "zl": "PLN", "złotych": "PLN", "kč": "CZK", "ft": "HUF", "kr": "", "kn": "HRK",
    "lei": "RON", "leu": "RON", "лв": "BGN", "лева": "BGN", "руб": "RUB", "рублей": "RUB",
    "рубля": "RUB", "р": "RUB", "грн": "UAH", "гривень": "UAH", "тг": "KZT", "тңг": "KZT",
    "тенге": "KZT", "дин": "RSD", "din": "RSD", "rsd": "RSD", "ден": "MKD", "сом": "KGS",
    "ман": "AZN", "rs": "INR", "re": "INR", "rp": "IDR", "rm": "MYR", "r": "ZAR", "s/": "PEN",
    "bs": "BOB", "tk": "BDT", "kd": "KWD", "dhs": "AED", "dh": "AED", "dt": "TND", "sr": "SAR",
    "qr": "QAR", "le": "EGP", "ksh": "KES", "tsh": "TZS", "ugx": "UGX", "php": "PHP",
    "fr": "CHF", "sfr": "CHF", "frs": "CHF", "fcfa": "XOF", "cfa": "XOF", "đ": "VND",
    "vnđ": "VND", "euro": "EUR", "euros": "EUR", "евро": "EUR", "ευρώ": "EUR", "dollars": "USD",
    "dollar": "USD", "dólares": "USD", "pounds": "GBP", "yen": "JPY", "yuan": "CNY",
    "rupees": "INR", "บาท": "THB", "baht": "THB", "دينار": "KWD",
}  # fmt: skip
_MAY_ALSO_MEAN: Final[dict[str, frozenset[str]]] = {
    "$": frozenset(
        str.split(
            "ARS AUD BBD BMD BND BSD BZD CAD CLP COP CUP DOP FJD GYD HKD JMD KYD LRD MOP MXN NAD"
            " NZD SBD SGD SRD TTD TWD UYU XCD BRL NIO"
        )
    ),
    "£": frozenset(("EGP", "FKP", "GIP", "LBP", "SHP", "SSP", "SYP", "SDG")),
    "¥": frozenset(("CNY",)),
    "元": frozenset(("TWD", "HKD")),
    "₨": frozenset(("PKR", "LKR", "NPR", "MUR", "SCR")),
    "rs": frozenset(("PKR", "LKR", "NPR", "MUR", "SCR")),
    "kr": frozenset(("SEK", "DKK", "NOK", "ISK")),
    "r": frozenset(("BRL",)),
    "fr": frozenset(("XOF", "XAF", "XPF")),
    "bs": frozenset(("VES",)),
    "dh": frozenset(("MAD",)),
    "دينار": frozenset(("JOD", "BHD", "TND", "DZD", "IQD", "LYD")),
    "ريال": frozenset(("YER", "OMR", "QAR", "IRR")),
    "lei": frozenset(("MDL",)),
}
_BY_LANGUAGE: Final[dict[tuple[str, str], str]] = {
    ("kr", "sv"): "SEK", ("kr", "da"): "DKK", ("kr", "no"): "NOK", ("kr", "nb"): "NOK",
    ("kr", "nn"): "NOK", ("kr", "is"): "ISK", ("¥", "zh"): "CNY", ("р", "be"): "BYN",
    ("руб", "be"): "BYN", ("$", "pt"): "BRL", ("rs", "ur"): "PKR", ("rs", "ne"): "NPR",
    ("﷼", "ar"): "SAR", ("ريال", "fa"): "IRR",
}  # fmt: skip
# Regions whose money is "$" or "Rs".
_BY_REGION: Final[dict[tuple[str, str], str]] = {
    ("$", "AU"): "AUD", ("$", "CA"): "CAD", ("$", "NZ"): "NZD", ("$", "SG"): "SGD",
    ("$", "HK"): "HKD", ("$", "TW"): "TWD", ("$", "MX"): "MXN", ("$", "AR"): "ARS",
    ("$", "CL"): "CLP", ("$", "CO"): "COP", ("$", "UY"): "UYU", ("rs", "PK"): "PKR",
    ("rs", "LK"): "LKR", ("rs", "NP"): "NPR",
}  # fmt: skip


class Mention(NamedTuple):
    """A currency that a text names: its code, "" if only others know, and where it stands."""

    code: str
    start: int
    end: int


def _alternatives(names: Set[str]) -> str:
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))


_find = re.compile(
    # A code may be glued to a number or a sign: USD12, EUR€.
    rf"(?P<code>(?<![^\W\d_])(?:{_alternatives(CODES | set(_OLD))})(?![^\W\d_]))"
    rf"|(?P<sign>(?:(?<![^\W\d_])(?=[A-Za-z]))?(?:{_alternatives(set(_SIGNS))}))"
    rf"|(?<![^\W\d_])(?P<word>(?i:{_alternatives(set(_WORDS) | {c.lower() for c in CODES})}))"
    r"(?![^\W\d_])"
).finditer


def mentions(text: str, language: str = "", hint: str = "") -> list[Mention]:
    """The currencies that a text names; `hint` decides between those that share a sign."""
    return [
        Mention(_meant(found.lastgroup or "", found[0], language, hint), *found.span())
        for found in _find(text)
    ]


def code_of(text: str, language: str = "") -> str:
    """The currency that a text like "EUR", "€" or "Euro" names; "" if it names none."""
    upper = text.strip().upper()
    if upper in CODES:
        return upper
    return next((mention.code for mention in mentions(text[:40], language)), "")


def _meant(group: str, name: str, language: str, hint: str) -> str:
    if group == "code":
        return _OLD.get(name, name)
    key = name if group == "sign" else name.lower()
    if hint in _MAY_ALSO_MEAN.get(key, ()):
        return hint
    region = language[-2:].upper() if len(language) == 5 else ""
    there = _BY_REGION.get((key, region)) or _BY_LANGUAGE.get((key, main_language(language)))
    if there:
        return there
    return _SIGNS[key] if group == "sign" else _WORDS.get(key, key.upper())
