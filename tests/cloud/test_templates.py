"""Does a template, given to a running stack, turn stored pages into documents with prices?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cloud import crawls
from tests.cloud.queues import wait_for
from tests.sites.shop import Shop

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cloud.harness import Stack

JOB = "shop"
ADDRESS = "127.0.0.39"  # not used by other tests
COUNT = 30  # products
TEMPLATE = """
match = "{origin}/product/*"
key = "sku"
title = "{{name}}"
[fields.name]
select = "h1"
[fields.sku]
select = ".sku"
type = "keyword"
[fields.cost]
select = ".price"
type = "money"
sort = true
required = true
"""


def test_a_template_is_applied_to_the_pages_in_the_bucket(stack, site, tmp_path):
    shop = Shop(site.origin(ADDRESS), "none")
    for number in [*shop.products][COUNT:]:
        shop.remove(number)
    site.publish(shop.site())
    crawls.enqueue(stack, f"{shop.origin}/", job=JOB)
    assert crawls.finish(stack, JOB) == "finished"
    site.forget()

    done = crawls.gossamer(stack, "template", "apply", template_file(shop, tmp_path))

    assert done["sent"] == COUNT
    wait_for(lambda: len(found(stack)) == COUNT, crawls.PATIENCE, "they were not read again")
    wait_for(lambda: is_known(stack, "cost"), crawls.PATIENCE, "the API has the settings of before")
    assert found(stack, "&sort=cost") == shop.by_price()
    assert set(found(stack, "+cost:10..20&sort=-cost")) == shop.priced(10, 20)
    rows = crawls.exported(stack, "documents", shop.origin)
    costs = {row["url"]: row["values"]["cost"] for row in rows if row.get("template") == JOB}
    assert {url: (cost["amount"], cost["currency"]) for url, cost in costs.items()} == {
        shop.url(each): (each.price, "EUR") for each in shop.products.values()
    }
    (health,) = crawls.gossamer(stack, "template", "health", JOB)
    assert health["fields"]["cost"]["fill"] == 1.0
    assert site.asked() == [], "the site was asked for nothing"

    crawls.gossamer(stack, "template", "remove", JOB)


def template_file(shop: Shop, folder: Path) -> Path:
    path = folder / f"{JOB}.toml"
    path.write_text(TEMPLATE.format(origin=shop.origin))
    return path


def found(stack: Stack, more: str = "") -> list[str]:
    """The products that the API finds, in its order."""
    answer = crawls.search(stack, f"template:{JOB}{more}&limit=100")
    assert answer.status == 200, json.dumps(answer.json)
    return [hit["url"] for hit in answer.json["hits"]]


def is_known(stack: Stack, column: str) -> bool:
    """The API looks at settings every 30 seconds; before, it cannot sort by a new column."""
    return crawls.search(stack, f"template:{JOB}&sort={column}").status == 200
