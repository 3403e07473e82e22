"""Amounts of money as shops write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.value_texts import read_money
from gossamer.core.page.values import Money


@pytest.mark.parametrize(
    ("text", "language", "amount", "currency"),
    [
        ("US$ 17", "", 17, "USD"),
        ("17,90 €", "de", 17.9, "EUR"),
        ("17 zł", "pl", 17, "PLN"),
        ("349:- kr", "sv", 349, "SEK"),
        ("349:-", "sv", 349, ""),
        ("kr 1 349,50", "no", 1349.5, "NOK"),
        ("CHF 17.–", "", 17, "CHF"),
        ("SFr. 1'349.50", "", 1349.5, "CHF"),
        ("Rs. 4,350/-", "", 4350, "INR"),
        ("₹43,50,000.00", "", 4350000, "INR"),
        ("R$ 4.350,90", "pt", 4350.9, "BRL"),
        ("4 350,90 Kč", "cs", 4350.9, "CZK"),
        ("1 349,- kr", "en", 1349, ""),
        ("12 500,50 Kč", "en", 12500.5, "CZK"),
        ("16 128 GB, 499 €", "en", 499, "EUR"),
        ("€5 500 g", "en", 5, "EUR"),
        ("1.349", "en", 1349, ""),
        ("€1.349", "en", 1349, "EUR"),
        ("1.349 KWD", "", 1.349, "KWD"),
        ("17€90", "fr", 17.9, "EUR"),
        ("118, 50 TL", "tr", 118.5, "TRY"),
        ("from $17 to $35", "en", 17, "USD"),
        ("17–35 €", "", 17, "EUR"),
        ("17 bis 35 €", "de", 17, "EUR"),
        ("Save 20%: now $17.50", "en", 17.5, "USD"),
        ("3 for £17", "en", 17, "GBP"),
        ("$17 AUD", "", 17, "AUD"),
        ("USD17", "", 17, "USD"),
        ("-$17.50", "", -17.5, "USD"),
        ("($17.50)", "", -17.5, "USD"),
        ("Price - $17.50", "", 17.5, "USD"),
        ("65¢", "", 0.65, "USD"),
        ("65p", "en", 0.65, "GBP"),
        ("2.5万円", "ja", 25000, "JPY"),
        ("1,980円（税込）", "ja", 1980, "JPY"),
        ("¥1200", "zh", 1200, "CNY"),
        ("$3.5 million", "en", 3_500_000, "USD"),
        ("١٢٫٥ د.إ", "ar", 12.5, "AED"),
        ("free", "", 0, ""),
        ("Kostenlos!", "de", 0, ""),
        ("無料", "ja", 0, ""),
    ],
)
def test_an_amount_is_read_with_its_currency(text, language, amount, currency):
    assert read_money(text, language) == Money(amount, currency)


def test_a_given_currency_decides_what_a_shared_sign_means():
    assert read_money("$17", currency="CAD") == Money(17, "CAD")
    assert read_money("17 kr", currency="DKK") == Money(17, "DKK")
    assert read_money("€17", currency="CAD") == Money(17, "EUR")
    assert read_money("17", currency="CAD") == Money(17, "CAD")


def test_a_region_decides_what_a_dollar_is():
    assert read_money("$17", "en-AU") == Money(17, "AUD")
    assert read_money("$17", "en") == Money(17, "USD")


@pytest.mark.parametrize("text", ["", "sold out", "Free shipping", "50 %", "call us"])
def test_what_is_no_amount_is_refused(text):
    assert read_money(text, "en") is None


@given(st.integers(0, 10**9), st.integers(0, 99), st.sampled_from(["€", "£", "zł", "CHF", "USD"]))
def test_an_amount_reads_alike_wherever_its_currency_stands(whole, cents, sign):
    amount = f"{whole:,}.{cents:02}"

    before, after = read_money(f"{sign} {amount}"), read_money(f"{amount} {sign}")

    assert before is not None
    assert before == after
    assert before.amount == float(f"{whole}.{cents:02}")


@given(st.text(alphabet=st.sampled_from("0123456789.,' -–$€krRs%()pP¢ \u00a0")))
def test_no_text_raises(text):
    for language in ("", "en", "sv"):
        read_money(text, language)
