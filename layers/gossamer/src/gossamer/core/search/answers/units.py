"""Conversions between units: `10 km in miles`, `72 F to C`.

A unit has a kind and what one of it is in the kind's own unit; temperatures begin elsewhere, too.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

DIGITS: Final = 9  # significant
MAX_CHARS: Final = 100
_ASKED: Final = re.compile(
    r"(?P<number>[-+]?(?:\d{1,3}(?:,\d{3})+|\d{1,30})(?:\.\d{1,30})?(?:e[-+]?\d{1,2})?|\.\d{1,30})"
    r"\s*(?P<unit>[^\s\d].{0,30}?)\s+(?:in|to|as|into)\s+(?P<wanted>[^\d\s].{0,30})",
    re.ASCII | re.IGNORECASE,
)


class Unit(NamedTuple):
    """A unit: its kind, its size and where it begins, in the kind's own unit."""

    kind: str
    size: Fraction
    zero: Fraction = Fraction(0)


# By kind: names with the same meaning, and the size. Lower-case names hold in any case, others only
# as they are written: MB and Mb differ.
_TABLE: Final[dict[str, str]] = {
    "length": """
        m metre meter: 1; km kilometre kilometer: 1000; cm centimetre centimeter: 0.01
        mm millimetre millimeter: 0.001; µm um micrometre micrometer micron: 1e-6
        nm nanometre nanometer: 1e-9; in inch inches ": 0.0254; ft foot feet ': 0.3048
        yd yard: 0.9144; mi mile: 1609.344; nmi nautical_mile: 1852
        au astronomical_unit: 149597870700; ly light_year: 9460730472580800
    """,
    "mass": """
        kg kilogram kilo: 1; g gram gramme: 0.001; mg milligram: 1e-6; µg ug microgram: 1e-9
        t tonne metric_ton: 1000; lb lbs pound: 0.45359237; oz ounce: 0.028349523125
        st stone: 6.35029318; short_ton us_ton: 907.18474; long_ton: 1016.0469088
    """,
    "time": """
        s sec second: 1; ms millisecond: 0.001; µs us microsecond: 1e-6; ns nanosecond: 1e-9
        min minute: 60; h hr hour: 3600; d day: 86400; week wk: 604800; year yr: 31557600
    """,
    "data": """
        B byte: 8; b bit: 1; kB KB kilobyte: 8e3; MB megabyte: 8e6; GB gigabyte: 8e9
        TB terabyte: 8e12; PB petabyte: 8e15; KiB kibibyte: 8192; MiB mebibyte: 8388608
        GiB gibibyte: 8589934592; TiB tebibyte: 8796093022208; PiB pebibyte: 9007199254740992
        kb Kb kbit kilobit: 1e3; Mb Mbit megabit: 1e6; Gb Gbit gigabit: 1e9; Tbit terabit: 1e12
    """,
    "speed": """
        m/s mps: 1; km/h kmh kph: 1/3.6; mph mi/h: 0.44704; kn knot kt: 1852/3600; ft/s fps: 0.3048
    """,
    "area": """
        m2 m² sqm square_metre square_meter: 1; km2 km² square_kilometre square_kilometer: 1e6
        cm2 cm² square_centimetre square_centimeter: 1e-4; ha hectare: 1e4; acre: 4046.8564224
        ft2 ft² sqft sq_ft square_foot square_feet: 0.09290304
        in2 in² sqin sq_in square_inch square_inches: 0.00064516
        mi2 mi² sq_mi square_mile: 2589988.110336; yd2 yd² sq_yd square_yard: 0.83612736
    """,
    "volume": """
        l litre liter: 1; ml millilitre milliliter: 0.001; cl centilitre centiliter: 0.01
        dl decilitre deciliter: 0.1; m3 m³ cubic_metre cubic_meter: 1000
        cm3 cm³ cc cubic_centimetre cubic_centimeter: 0.001; gal gallon us_gallon: 3.785411784
        imperial_gallon uk_gallon: 4.54609; qt quart: 0.946352946; pt pint us_pint: 0.473176473
        imperial_pint uk_pint: 0.56826125; cup: 0.2365882365
        floz fl_oz fluid_ounce: 0.0295735295625
        tbsp tablespoon: 0.01478676478125; tsp teaspoon: 0.00492892159375
        ft3 ft³ cubic_foot cubic_feet: 28.316846592; in3 in³ cubic_inch cubic_inches: 0.016387064
    """,
}
_TEMPERATURES: Final = {
    ("c", "°c", "celsius", "centigrade", "degrees_celsius"): ("1", "273.15"),
    ("f", "°f", "fahrenheit", "degrees_fahrenheit"): ("5/9", "45967/180"),
    ("k", "kelvin"): ("1", "0"),
}
_SYMBOLS: Final = 3  # letters up to which a name is a symbol, and has no plural


def conversion_of(text: str) -> tuple[str, str] | None:
    """A conversion: what is asked and what it is, both with units; None if a text asks for none."""
    found = _ASKED.fullmatch(text.strip().removesuffix("=").removesuffix("?").strip())
    if found is None or len(text) > MAX_CHARS:
        return None
    units = UNITS.get(_name(found["unit"])), UNITS.get(_name(found["wanted"]))
    unit, wanted = units
    if unit is None or wanted is None or unit.kind != wanted.kind:
        return None
    given = Fraction(found["number"].replace(",", ""))
    value = (given * unit.size + unit.zero - wanted.zero) / wanted.size
    asked = f"{found['number']} {found['unit']}"
    return asked, f"{_shown(value)} {found['wanted'].strip()}"


def _shown(value: Fraction) -> str:
    if value.denominator == 1 and abs(value) < 10**15:
        return str(value.numerator)
    return f"{float(value):.{DIGITS}g}"


def _name(text: str) -> str:
    """The name of a unit as the table has it: symbols as they are, else in small letters."""
    joined = "_".join(text.split())
    return joined if joined in UNITS else joined.lower()


def _rows() -> Iterator[tuple[str, Unit]]:
    for kind, rows in _TABLE.items():
        for row in re.split(r"[;\n]", rows):
            names, _, size = row.strip().rpartition(":")
            for name in names.split():
                yield name, Unit(kind, _fraction(size))
    for names_of, (size, zero) in _TEMPERATURES.items():
        for name in names_of:
            yield name, Unit("temperature", Fraction(size), Fraction(zero))


def _fraction(text: str) -> Fraction:
    above, _, below = text.strip().partition("/")
    return Fraction(above) / Fraction(below or "1")


def _with_plurals() -> Iterator[tuple[str, Unit]]:
    for name, unit in _rows():
        yield name, unit
        if len(name) > _SYMBOLS and name.isascii() and name[-1].isalpha():
            yield f"{name}s", unit


UNITS: Final = dict(_with_plurals())
