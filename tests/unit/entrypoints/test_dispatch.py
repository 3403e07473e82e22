"""Are requests for slots sent as few messages, and nothing else changed?"""

from __future__ import annotations

from gossamer.entrypoints.dispatch import joined
from gossamer.messages import MAX_PACK, Candidate, CrawlRequest, Emission, Link, LinksFound


def ask(*paths, host="a.test", depth=1, **more):
    urls = [Candidate(f"http://{host}/{path}", depth) for path in paths]
    return CrawlRequest(job="web", host=host, urls=urls, **more)


def test_requests_of_one_host_and_depth_are_one_message():
    given = [ask(1), ask(2), ask(3, host="b.test"), ask(4, depth=2), ask(5)]

    sent = joined(Emission("frontier", each) for each in given)

    assert [each.message for each in sent] == [
        ask(1, 2, 5),
        ask(3, host="b.test"),
        ask(4, depth=2),
    ]


def test_no_message_has_more_than_a_pack():
    sent = joined(Emission("frontier", ask(n)) for n in range(2 * MAX_PACK + 1))

    packs = [each.message.urls for each in sent]  # type: ignore[union-attr]
    assert [len(pack) for pack in packs] == [MAX_PACK, MAX_PACK, 1]
    assert [c.url for pack in packs for c in pack] == [
        f"http://a.test/{n}" for n in range(2 * MAX_PACK + 1)
    ]


def test_what_waits_was_parked_or_is_something_else_stays_as_it_is():
    links = LinksFound(job="web", source="x", depth=0, via="page", links=[Link("http://a.test/")])
    given = [
        Emission("frontier", ask(1), delay=5.0),
        Emission("frontier", ask(2), pack="key"),
        Emission("links", links),
        Emission("frontier", ask(3, purpose="robots", robots_for="a.test")),
        Emission("frontier", ask(4)),
    ]

    assert joined(given) == given
