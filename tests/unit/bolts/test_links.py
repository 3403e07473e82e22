from __future__ import annotations

from random import Random

import pytest

from gossamer.bolts.links import links
from gossamer.core.crawl.job import ScopeConfig
from gossamer.core.crawl.traps import TrapConfig
from gossamer.core.crawl.url_state import State
from gossamer.core.urls import url_id
from gossamer.messages import MAX_PACK, Link, LinksFound
from tests.life import bring
from tests.pump import JOB, answer, page, redirect

ROOT = "http://a.test/"


def found(*urls, via="page", source=ROOT, depth=0, hops=0, **more):
    given = [url if isinstance(url, Link) else Link(url) for url in urls]
    return LinksFound(job=JOB, source=source, depth=depth, via=via, links=given, hops=hops, **more)


def run(w, message):
    return links(message, w.ports, w.clock())


def sent(emissions):
    return [c.url for e in emissions if e.stream == "frontier" for c in e.message.urls]


def test_new_urls_go_to_the_frontier_one_deeper_than_their_page(world):
    w = world()

    (emission,) = run(w, found("http://a.test/x", depth=2))

    (candidate,) = emission.message.urls
    assert (emission.stream, emission.message.host) == ("frontier", "a.test")
    assert (candidate.url, candidate.depth) == ("http://a.test/x", 3)
    assert w.record("http://a.test/x").via == url_id(ROOT)


@pytest.mark.parametrize(
    ("via", "depth"), [("seed", 0), ("redirect", 0), ("page", 1), ("sitemap", 1)]
)
def test_seeds_and_redirects_do_not_count_as_a_link(world, via, depth):
    w = world()

    (emission,) = run(w, found("http://a.test/x", via=via))

    assert emission.message.urls[0].depth == depth


def test_known_urls_are_not_sent_again_by_another_page(world):
    w = world()
    run(w, found("http://a.test/x"))

    emissions = run(w, found("http://a.test/x", "http://a.test/y", source="http://a.test/other"))

    assert sent(emissions) == ["http://a.test/y"]


def test_a_url_linked_many_times_is_sent_once(world):
    w = world()

    assert sent(run(w, found(*["http://a.test/x"] * 5))) == ["http://a.test/x"]


def test_a_pack_holds_urls_of_one_host_and_not_too_many(world):
    w = world(scope=ScopeConfig(anywhere=True))
    urls = [f"http://a.test/{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(MAX_PACK + 10)]

    emissions = run(w, found(*urls, "http://b.test/"))

    packs = [(e.message.host, len(e.message.urls)) for e in emissions]
    assert packs == [("a.test", MAX_PACK), ("a.test", 10), ("b.test", 1)]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://far.test/", "out-of-scope"),
        ("http://a.test/picture.png", "file-type"),
        ("http://a.test/private/x", "excluded-pattern"),
        ("http://a.test/a/a/a/a", "repeated-segments"),
        ("http://a.test/x?sid=0123456789abcdef01", "session-id"),
        ("http://a.test/x;jsessionid=5", "session-id"),
        ("http://a.test/calendar/2031/05", "calendar"),
        ("http://a.test/" + "x" * 3000, "too-long"),
    ],
)
def test_what_is_excluded_is_remembered_with_its_reason(world, url, reason):
    w = world(exclude=["/private/"])

    assert run(w, found(url)) == []
    assert w.end_of(url) == (State.EXCLUDED, reason)


def test_a_persons_seed_is_never_a_trap(world):
    w = world()

    emissions = run(w, found("http://a.test/calendar/2031/05", via="seed", source=""))

    assert sent(emissions) == ["http://a.test/calendar/2031/05"]


def test_traps_can_be_switched_off(world):
    w = world(traps=TrapConfig(enabled=False, per_host=1))

    emissions = run(w, found("http://a.test/a/a/a/a", "http://a.test/b"))

    assert len(sent(emissions)) == 2


def test_a_host_gives_no_more_urls_than_its_quota(world):
    w = world(traps=TrapConfig(per_host=3))

    first = run(w, found("http://a.test/a", "http://a.test/b"))
    second = run(w, found("http://a.test/c", "http://a.test/d", source="http://a.test/a"))

    assert sent(first + second) == ["http://a.test/a", "http://a.test/b", "http://a.test/c"]
    assert w.end_of("http://a.test/d") == (State.EXCLUDED, "host-quota")


def test_urls_of_one_shape_have_a_quota_of_their_own(world):
    w = world(traps=TrapConfig(per_pattern=2))

    emissions = run(w, found(*(f"http://a.test/item/{i}" for i in range(4)), "http://a.test/about"))

    assert sent(emissions) == [
        "http://a.test/item/0",
        "http://a.test/item/1",
        "http://a.test/about",
    ]
    assert w.end_of("http://a.test/item/3") == (State.EXCLUDED, "pattern-quota")


def test_edges_are_kept_even_to_what_is_excluded(world):
    w = world()
    given = [Link("http://a.test/x", "ex"), Link("http://far.test/", "far", True)]

    run(w, found(*given))

    assert w.home.edges.get(url_id(ROOT)) == given


@pytest.mark.parametrize("via", ["seed", "redirect", "sitemap"])
def test_only_pages_have_edges(world, via):
    w = world()

    run(w, found("http://a.test/x", via=via))

    assert w.home.edges.get(url_id(ROOT)) == []


def test_a_job_that_does_not_follow_remembers_where_links_lead_and_sends_nothing(world):
    w = world(follow=False)

    emissions = run(w, found("http://a.test/x"))

    assert emissions == []
    assert w.end_of("http://a.test/x") == ("excluded", "not-followed")


async def test_a_job_that_does_not_follow_fetches_only_its_seeds_and_where_they_redirect(world):
    w = world(
        {
            ROOT: page("/x", title="r"),
            "http://a.test/moved": redirect("/new"),
            "http://a.test/new": page("/y", title="new"),
        },
        seeds=[ROOT, "http://a.test/moved"],
        follow=False,
    )

    await w.crawl()

    asked = set(w.fetcher.urls()) - {"http://a.test/robots.txt"}
    assert asked == {ROOT, "http://a.test/moved", "http://a.test/new"}


def test_a_nofollow_link_alone_excludes_and_a_followed_one_readmits(world):
    w = world()
    run(w, found(Link("http://a.test/x", "", True)))
    before = w.end_of("http://a.test/x")

    emissions = run(w, found("http://a.test/x", source="http://a.test/other", depth=4))

    assert before == (State.EXCLUDED, "nofollow")
    assert sent(emissions) == ["http://a.test/x"]
    assert w.end_of("http://a.test/x") == (State.DISCOVERED, "")
    assert w.record("http://a.test/x").depth == 5


def test_a_nofollow_link_does_not_take_back_what_was_admitted(world):
    w = world()
    run(w, found("http://a.test/x"))

    run(w, found(Link("http://a.test/x", "", True), source="http://a.test/other"))

    assert w.end_of("http://a.test/x") == (State.DISCOVERED, "")


def test_a_redirect_beyond_the_last_hop_is_excluded_and_a_link_readmits_it(world):
    w = world()
    run(w, found("http://a.test/x", via="redirect", hops=6))
    before = w.end_of("http://a.test/x")

    emissions = run(w, found("http://a.test/x", source="http://a.test/other"))

    assert before == (State.EXCLUDED, "too-many-redirects")
    assert sent(emissions) == ["http://a.test/x"]
    assert emissions[0].message.urls[0].hops == 0


def test_links_of_a_job_that_is_gone_are_dropped(world):
    w = world()
    message = LinksFound(job="other", source=ROOT, depth=0, via="page", links=[Link(ROOT)])

    assert run(w, message) == []


class TestDepth:
    def test_beyond_the_limit_is_too_deep_until_a_shorter_way_is_found(self, world):
        w = world(max_depth=2)
        run(w, found("http://a.test/x", depth=2))
        before = w.end_of("http://a.test/x")

        emissions = run(w, found("http://a.test/x", depth=1, source="http://a.test/near"))

        assert before == (State.EXCLUDED, "too-deep")
        assert sent(emissions) == ["http://a.test/x"]
        assert w.record("http://a.test/x").depth == 2

    def test_of_a_waiting_url_shrinks_without_sending_it_twice(self, world):
        w = world()
        run(w, found("http://a.test/x", depth=5))

        emissions = run(w, found("http://a.test/x", depth=0, source="http://a.test/near"))

        assert emissions == []
        assert w.record("http://a.test/x").depth == 1

    async def test_of_a_parsed_page_shrinks_and_so_does_that_of_all_behind_it(self, world):
        """`late` answers last, and by then its links were found by a longer way."""
        w = world(
            {
                ROOT: page("/1", "/late", title="root"),
                "http://a.test/1": page("/2", title="1"),
                "http://a.test/2": page("/3", title="2"),
                "http://a.test/3": page("/4", title="3"),
                "http://a.test/4": page(title="4"),
                "http://a.test/late": [answer(500), page("/3", title="late")],
            },
            max_depth=3,
        )

        await w.crawl()

        depths = {url: w.record(f"http://a.test/{url}").depth for url in ("2", "3", "4")}
        assert depths == {"2": 2, "3": 2, "4": 3}
        assert w.end_of("http://a.test/4") == (State.PARSED, "document")
        assert w.fetcher.urls().count("http://a.test/3") == 1

    async def test_of_a_page_that_has_not_changed_shrinks_with_all_behind_it(self, world):
        w = world(
            {ROOT: page("/1", title="root"), "http://a.test/1": page("/2", title="1")}, max_depth=1
        )
        await w.crawl()
        before = w.end_of("http://a.test/2")
        bring(w.home.urls, url_id("http://a.test/1"), State.UNCHANGED)

        w.send(*run(w, found("http://a.test/1", via="seed", source="")))
        await w.drain()

        assert before == (State.EXCLUDED, "too-deep")
        assert w.record("http://a.test/2").depth == 1
        assert w.end_of("http://a.test/2") == (State.GONE, "http-404")

    async def test_of_what_a_url_redirects_to_shrinks_with_it(self, world):
        w = world(
            {
                ROOT: page("/1", "/late", title="root"),
                "http://a.test/1": page("/2", title="1"),
                "http://a.test/2": page("/away", title="2"),
                "http://a.test/away": redirect("/there"),
                "http://a.test/there": page("/leaf", title="there"),
                "http://a.test/leaf": page(title="leaf"),
                "http://a.test/late": [answer(500), page("/away", title="late")],
            },
            max_depth=3,
        )

        await w.crawl()

        assert w.record("http://a.test/there").depth == 2
        assert w.end_of("http://a.test/leaf") == (State.PARSED, "document")

    async def test_decides_the_same_pages_in_whatever_order_they_answer(self, world):
        """What lies within the depth does not depend on which answer came first."""
        chance = Random(7)
        urls = [f"http://a.test/{i}" for i in range(25)]
        edges = {url: chance.sample(urls, 2) for url in urls}
        reached, layer = {ROOT}, [ROOT]
        for _ in range(3):
            layer = [u for url in layer for u in edges.get(url, urls[:2]) if u not in reached]
            reached.update(layer)
        slow = set(chance.sample(urls, 8))
        site = {url: page(*edges[url], title=url) for url in urls}
        late = {url: [answer(500), answer(500), site[url]] for url in slow}
        w = world({ROOT: page(*urls[:2], title="root"), **site, **late}, max_depth=3, delay=0.1)

        await w.crawl()

        parsed = {url for url, (state, _) in w.ends().items() if state == "parsed"}
        assert parsed == reached
