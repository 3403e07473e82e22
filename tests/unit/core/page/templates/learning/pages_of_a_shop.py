"""Pages of a shop for tests: alike, but not equal, with rows that not every page has."""

from gossamer.core.page.templates.learning.learner import MarkedPage

THINGS = [
    ("Blue lamp", "12.50", "Lumen", "A lamp for a desk", True),
    ("Oak table", "240.00", "Holz & Co", "Six people sit at it", False),
    ("Red chair", "39.95", "Sitwell", "Stacks well", True),
    ("Tin mug", "4.20", "Emaille", "For camping", False),
    ("Wool rug", "1,150.00", "Weberei", "Made by hand", True),
]


def page(number: int, *, price_class: str = "price") -> str:
    name, price, brand, about, on_sale = THINGS[number]
    sale = (
        f"<tr><td>Was</td><td>${float(price.replace(',', '')) + 1:.2f}</td></tr>" if on_sale else ""
    )
    others = "".join(f"<li class=other>{other[0]}, ${other[1]}</li>" for other in THINGS)
    return f"""<html><head><title>{name} - The Shop</title></head><body>
    <ul>{others}</ul><h1>{name}</h1><p class="big {price_class}">${price}</p>
    <table>{sale}<tr><td>Brand</td><td>{brand}</td></tr><tr><td>Number</td><td>{number}</td></tr>
    </table><div><p>Free shipping</p><p>About: {about}. Ask us!</p></div></body></html>"""


def marked(number: int, *names: str) -> MarkedPage:
    name, price, brand, about, _ = THINGS[number]
    known = {"title": [name], "price": [price.replace(",", "")], "brand": [brand], "about": [about]}
    values = {each: known[each] for each in names}
    return MarkedPage(f"https://shop.test/thing/{number}", page(number), values)
