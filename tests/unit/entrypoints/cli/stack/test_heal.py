"""Is a template of a stack healed by what lies in its bucket, and are the pages sent to PARSE?"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

import pytest

from gossamer.core.crawl.url_state import State
from gossamer.core.page.document import Document
from gossamer.core.page.values import Money
from gossamer.core.revisit.change_rate import History, packed
from gossamer.core.urls import url_id
from gossamer.entrypoints.dispatch import deal_with
from gossamer.messages import Emission, decode
from gossamer.ports import Ports
from gossamer.ports.fetcher import HttpResponse
from gossamer.ports.pages import RequestFacts
from tests.unit.entrypoints.moto_stack import add_url, begin_job, home, result

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("stack")
PAGES = 12
TEMPLATE = """
name = "shop"
match = "a.test/p/*"
[fields.name]
select = "h1"
[fields.price]
select = ".price"
type = "money"
required = true
"""
FACTS = RequestFacts(
    job="crawl", host="a.test", purpose="page", slot=1.0, delay=1.0, grace=1.0, depth=0, tries=0,
    agent="gossamer",
)  # fmt: skip


def url(number: int) -> str:
    return f"http://a.test/p/{number}"


def visits(bodies: dict[int, str], at: float) -> list[Any]:
    """What was fetched at some time; the requests share an object."""

    async def fetched() -> list[Any]:
        opened = home()
        responses = [
            HttpResponse(
                url=url(n),
                started_at=at + n,
                seconds=0.5,
                ip="192.0.2.7",
                code=200,
                phrase="OK",
                headers=(("Content-Type", "text/html"),),
                body=body.encode(),
                raw=body.encode(),
            )
            for n, body in bodies.items()
        ]

        async def kept(response: HttpResponse) -> Any:
            with opened.pages.task():
                return await opened.pages.append(response, FACTS)

        return await asyncio.gather(*map(kept, responses))

    return asyncio.run(fetched())


def test_a_template_of_a_stack_is_healed(capsys, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begin_job()
    old = {n: f"<h1>Lamp {n}</h1><p class=price>${n + 5}.50</p>" for n in range(PAGES)}
    new = {n: f"<h2>Lamp {n}</h2><b class=cost>${n + 5}.50</b>" for n in range(PAGES)}
    visits(old, 100.0)
    history = packed(History(visits=2, changes=1))
    for n, ref in zip(new, visits(new, 200.0), strict=True):
        add_url(url(n), State.PARSED, "document", page=ref, fetched_at=200.0 + n, history=history)
        home().documents.put(url_id(url(n)), [Document(url=url(n), title="Lamp")], 200.0 + n)
    (tmp_path / "shop.toml").write_text(TEMPLATE)
    result(capsys, "template", "add", "shop.toml")

    proposed = result(capsys, "template", "heal", "shop")
    assert (proposed["stored"], proposed["share_before"], proposed["share_after"]) == (24, 0, 1)
    assert proposed["applied"] is None

    done = result(capsys, "template", "heal", "shop", "--apply")

    assert done["applied"]["sent"] == PAGES
    assert home().queues.depth()["parse"] == PAGES
    read_again(home())
    (page,) = home().documents.pages([url_id(url(3))])
    assert [each.values["price"] for each in page.documents.values()] == [Money(8.5, "USD")]


def read_again(opened: Any) -> None:
    """PARSE reads what was sent to it."""
    ports = Ports(opened, cast("Any", None))

    async def all_of_it() -> list[Emission]:
        found = []
        while deliveries := opened.queues.receive("parse", 10, 300.0):
            for each in deliveries:
                found += await deal_with("parse", decode(each.body), ports, 300.0)
            opened.queues.acknowledge(deliveries)
        return found

    sent = asyncio.run(all_of_it())
    assert [emission.stream for emission in sent] == ["index"] * PAGES
