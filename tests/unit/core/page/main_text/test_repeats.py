from resiliparse.parse.html import HTMLTree

from gossamer.core.page.main_text.blocks import Blocks
from gossamer.core.page.main_text.repeats import cut_repeated_prices, cut_repeats

TEXT = "A description of the thing."


def blocks_of(html: str) -> Blocks:
    blocks = Blocks.of(HTMLTree.parse(html).body)
    assert blocks is not None
    return blocks


def kept(html: str, *, records: bool = True) -> int:
    blocks = blocks_of(html)
    cut_repeats(blocks, 0, records=records)
    blocks.measure()
    return blocks.list[0].chars


def prices(html: str) -> list[str]:
    blocks = blocks_of(html)
    cut_repeated_prices(blocks, 0)
    return [block.node.text for block in blocks.list if block.own and not block.gone]


def test_a_text_is_left_once_where_it_stands_first():
    assert kept(f"<div><p>{TEXT}</p></div><div><div>{TEXT}</div></div>") == len(TEXT)


def test_a_text_inside_of_another_element_is_not_its_repetition():
    assert kept(f"<section><div><p>{TEXT}</p></div></section>") == len(TEXT)


def test_short_texts_may_be_said_twice():
    assert kept("<p>Sold out</p><p>Sold out</p>") == 16


def test_what_records_have_in_common_is_left_in_each():
    plans = f"<ul><li>One month of it</ul><ul><li>{TEXT}<li>By ship</ul>"
    plans += f"<ul><li>{TEXT}<li>By airmail, two days</ul>"
    rows = "".join(f"<tr><td>{n}<td>{TEXT}<td>Route number {n} to the island" for n in range(3))

    assert kept(plans) == len("One month of itBy shipBy airmail, two days" + TEXT * 2)
    assert kept(f"<table>{rows}</table>") == 3 * len(f"1{TEXT}Route number 1 to the island")
    assert kept(f"<table>{rows}</table>", records=False) < 3 * len(TEXT + "Route number 1")


def test_a_list_that_is_said_twice_is_left_once():
    plans = f"<ul><li>{TEXT}<li>By airmail, in two days</ul>"

    assert kept(plans * 2) == kept(plans)


def test_a_text_is_left_once_in_each_record():
    record = f"<li><h3>{TEXT}</h3><p>{TEXT}</p><p>Number"

    one = kept(f"<ul>{record} one of the list</ul>")

    assert one == len(TEXT) + len("Number one of the list")


def test_a_price_is_left_once_in_a_row():
    compass = "<p><u>Compass</u><b>$12.50</b><i>$12.50</i><s>$ 20.00</s>"

    assert prices(f"{compass}<p><u>Sextant</u><b>$12.50</b>") == [
        *["Compass", "$12.50", "$ 20.00"],
        *["Sextant", "$12.50"],
    ]


def test_numbers_that_are_no_prices_are_left():
    assert len(prices("<u>3</u><u>3</u><i>12.50</i><i>12.50</i><b>US$</b><b>US$</b>")) == 6
