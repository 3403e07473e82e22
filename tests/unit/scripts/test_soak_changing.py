"""Does the changing site change as it says, and is its truth what it serves?"""

from __future__ import annotations

import pytest

from scripts.soak.changing import ChangingSite

ORIGINS = ("http://127.0.0.2:80", "http://127.0.0.3:80")
MOMENTS = [second * 10.0 for second in range(61)]


@pytest.fixture(scope="module")
def site():
    return ChangingSite(seed=5, origins=ORIGINS, pages=200, seconds=600.0)


def numbers(site, kind):
    origin = site.origins[0]
    return [n for n in range(site.pages) if site.character(origin, n).kind == kind]


def over_time(site, number):
    return [site.at(site.origins[0], f"/page/{number}", at) for at in MOMENTS]


def test_steady_pages_stay_and_quick_ones_change_often(site):
    for number in numbers(site, "steady"):
        assert len(set(over_time(site, number))) == 1
    for number in numbers(site, "quick"):
        assert len({answer.etag for answer in over_time(site, number)}) >= 10


@pytest.mark.parametrize(("kind", "first", "last"), [("late", 404, 200), ("mortal", 200, 410)])
def test_pages_appear_and_vanish_once(site, kind, first, last):
    assert numbers(site, kind)
    for number in numbers(site, kind):
        codes = [answer.code for answer in over_time(site, number)]
        assert (codes[0], codes[-1]) == (first, last)
        assert codes == sorted(codes, reverse=first > last)


def test_some_blink_and_some_move_and_come_back(site):
    blinking = {a.code for n in numbers(site, "blinking") for a in over_time(site, n)}
    moving = {a.code for n in numbers(site, "moving") for a in over_time(site, n)}

    assert blinking == {200, 410}
    assert moving == {200, 302}


def test_shy_pages_hide_now_and_then(site):
    shown = {a.noindex for n in numbers(site, "shy") for a in over_time(site, n)}

    assert shown == {True, False}


def test_it_stands_still_in_the_end(site):
    for number in range(site.pages):
        path = f"/page/{number}"
        assert site.at(ORIGINS[0], path, 600.0) == site.at(ORIGINS[0], path, 10_000.0)


def test_the_truth_is_what_can_be_found_by_following_links(site):
    found, waiting = {}, [f"{origin}/" for origin in ORIGINS]
    while waiting:
        url = waiting.pop()
        if url in found or "/private/" in url:
            continue
        origin, path = url[: len(ORIGINS[0])], url[len(ORIGINS[0]) :]
        answer = found[url] = site.at(origin, path, 600.0)
        waiting += [part.split('"')[0] for part in answer.body.decode().split('href="')[1:]]
        waiting += [answer.location] if answer.location else []
    pages = {url: answer.title for url, answer in found.items() if answer.code == 200}

    hidden = {url for url in pages if found[url].noindex or url.endswith("/twin/1")}

    assert dict(site.truth()) == {url: pages[url] for url in pages.keys() - hidden}
    assert len(hidden) > 3 * len(ORIGINS)
