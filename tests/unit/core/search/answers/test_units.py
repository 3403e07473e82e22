"""Are units converted, and nothing else taken for them?"""

from __future__ import annotations

import pytest

from gossamer.core.search.answers.units import UNITS, conversion_of


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("10 km in miles", "6.21371192 miles"),
        ("10km to mi", "6.21371192 mi"),
        ("72 F to C", "22.2222222 C"),
        ("-40 °F in °C", "-40 °C"),
        ("0 c to f", "32 f"),
        ("0 K to celsius", "-273.15 celsius"),
        ("100 Celsius as Fahrenheit", "212 Fahrenheit"),
        ("5 feet in in", "60 in"),
        ("1 lb to kg", "0.45359237 kg"),
        ("1,000 grams in kilograms", "1 kilograms"),
        ("2 hours in minutes?", "120 minutes"),
        ("1 GB to MiB", "953.674316 MiB"),
        ("8 Mb to MB", "1 MB"),
        ("1 MB in mb", None),
        ("36 km/h to m/s", "10 m/s"),
        ("1 knot to km/h", "1.852 km/h"),
        ("1 hectare in square meters", "10000 square meters"),
        ("1 m² to cm²", "10000 cm²"),
        ("1 gallon in liters", "3.78541178 liters"),
        ("1e3 m to km", "1 km"),
    ],
)
def test_a_conversion_is_computed(text: str, result: str | None):
    found = conversion_of(text)

    assert (found and found[1]) == result


@pytest.mark.parametrize(
    "text",
    [
        "", "10 km", "km in miles", "10 km in kg", "3 days in paris", "10 apples to pears", "5 in",
        "24 h to le mans", "1 in 5", "2 to 3 m", "from 10 km to miles", "1" * 40 + " m to km",
        "1e999 m to km", "1 m to " + "k" * 10_000, "1 " + "m" * 10_000,
    ],
)  # fmt: skip
def test_what_is_none_is_left_alone(text: str):
    assert conversion_of(text) is None


def test_every_kind_is_there_and_a_conversion_and_back_is_the_same():
    kinds = {unit.kind for unit in UNITS.values()}

    assert kinds == {"length", "mass", "time", "data", "speed", "area", "volume", "temperature"}
    for unit in UNITS.values():
        assert unit.size > 0
