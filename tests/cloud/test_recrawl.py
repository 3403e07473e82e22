"""Does the index of a stack follow a site that changes?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from tests.cloud import crawls
from tests.sites.generated import Resource, Site

if TYPE_CHECKING:
    from tests.cloud.harness import Stack

JOB = "again"
ADDRESS = "127.0.0.34"  # not used by other tests
DIES = """
import os, signal
from gossamer.entrypoints.lambdas import recrawl
recrawl.begin = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
from real import handler
"""
LEASE = 900.0 + 10.0  # seconds
AT_ONCE = "[recrawl]\nmin_interval = 0.0\nmax_interval = 0.0\n"
TEXTS = {
    "/": "A weaver works here. <a href=/bobbin.html>bobbins</a> <a href=/heddle.html>heddles</a>",
    "/bobbin.html": "Lace needs bobbins of bone, and a quixotic amount of patience.",
    "/heddle.html": "A heddle lifts the warp, ever so quaintly.",
}


def page(path: str, text: str) -> Resource:
    html = f"<html lang=en><head><title>Page {path}</title></head><body><p>{text}</p></body>"
    return Resource(body=html.encode())


@pytest.fixture(scope="module")
def changing(stack, loopback, tmp_path_factory) -> Site:
    """A small site, crawled, of which every page is due at any time."""
    origin = loopback.origin(ADDRESS)
    published = Site(origin)
    published.resources |= {origin + path: page(path, text) for path, text in TEXTS.items()}
    loopback.publish(published)
    config = tmp_path_factory.mktemp("again") / "again.toml"
    config.write_text(AT_ONCE)
    crawls.enqueue(stack, published.seed, "--config", config, job=JOB)
    assert crawls.finish(stack, JOB) == "finished"
    assert found(stack, "quixotic") == [f"{origin}/bobbin.html"]
    return published


def found(stack: Stack, query: str) -> list[str]:
    answer = crawls.search(stack, quote(query))
    assert answer.status == 200, answer
    return sorted(hit["url"] for hit in answer.json["hits"])


def recrawl(stack: Stack) -> dict[str, Any]:
    """What the schedule does every hour, for this job alone: others may have pages that are due."""
    answer = stack.invoke("recrawl", {"budget": 1e6, "minutes": 60})
    assert answer.error is None, answer
    assert crawls.finish(stack, JOB) == "finished"
    done: dict[str, Any] = answer.payload
    return done


def test_the_index_follows_pages_that_change_and_pages_that_vanish(stack, site, changing):
    origin = changing.origin
    text = "Lace needs bobbins of wood, says the vexed weaver."
    changing.resources[f"{origin}/bobbin.html"] = page("/bobbin.html", text)
    del changing.resources[f"{origin}/heddle.html"]
    site.forget()

    once = recrawl(stack)

    assert once[JOB] == len(TEXTS)
    pages = [f"{origin}{path}" for path in TEXTS]
    assert sorted(crawls.page_requests(site, origin)) == sorted(pages)
    assert found(stack, "vexed") == [f"{origin}/bobbin.html"]
    assert found(stack, "quixotic") == []
    assert found(stack, "quaintly") == [f"{origin}/heddle.html"]  # missing once is no proof
    assert crawls.states(stack, origin)[f"{origin}/"] == "unchanged"

    recrawl(stack)

    assert found(stack, "quaintly") == []
    assert crawls.states(stack, origin)[f"{origin}/heddle.html"] == "gone"


def test_an_operator_is_told_what_is_due_and_may_begin(stack, changing):
    told = crawls.gossamer(stack, "recrawl", "--job", JOB, "--dry-run")
    done = crawls.gossamer(stack, "recrawl", "--job", JOB)

    assert sorted(told["chosen"]) == sorted(f"{changing.origin}{path}" for path in TEXTS)
    assert (told["asked"], done["asked"]) == (0, len(TEXTS))
    assert crawls.finish(stack, JOB) == "finished"


def test_a_round_that_was_killed_before_it_sent_anything_is_planned_again(stack, changing):
    everything = {"budget": 1e6, "minutes": 60}
    with stack.replaced("recrawl", DIES):
        assert stack.invoke("recrawl", everything).error
    assert stack.invoke("recrawl", everything).payload == {}  # the lease of the dead
    assert crawls.finish(stack, JOB) == "finished"

    with stack.later("recrawl", LEASE):
        again = stack.invoke("recrawl", everything)

    assert again.error is None, again
    assert again.payload[JOB] == len(TEXTS)
    assert crawls.finish(stack, JOB) == "finished"
