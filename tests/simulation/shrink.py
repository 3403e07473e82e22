"""What is the smallest world in which the same law is broken?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gossamer.core.urls import host_of
from tests.simulation.spec import Faults, JobSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.simulation.spec import World

MOST_RUNS = 300
replace = msgspec.structs.replace


def shrink(world: World, is_broken: Callable[[World], bool], most: int = MOST_RUNS) -> World:
    """Take away whatever can be taken away while the law stays broken."""
    runs = 0
    progress = True
    while progress and runs < most:
        progress = False
        for smaller in _smaller(world):
            runs += 1
            if is_broken(smaller):
                world, progress = smaller, True
                break
            if runs >= most:
                break
    return world


def _smaller(world: World) -> Iterator[World]:
    """Worlds with something less, what helps most first."""
    yield from _without_hosts(world)
    yield from _without_pages(world)
    yield from _calmer(world)
    yield from _without_links(world)


def _without_hosts(world: World) -> Iterator[World]:
    for host in world.hosts[1:]:
        seeds = tuple(seed for seed in world.job.seeds if host_of(seed) != host.name)
        yield replace(
            world,
            hosts=tuple(h for h in world.hosts if h is not host),
            pages=tuple(p for p in world.pages if host_of(p.url) != host.name),
            job=replace(world.job, seeds=seeds),
        )


def _calmer(world: World) -> Iterator[World]:
    """Fewer faults, and a job with fewer wishes."""
    for name in Faults.__struct_fields__:
        calm = getattr(Faults(), name)
        if getattr(world.faults, name) != calm and name != "interleave":
            yield replace(world, faults=replace(world.faults, **{name: calm}))
    for name in ("max_pages", "max_documents", "max_depth", "rounds", "sitemaps"):
        usual: Any = getattr(JobSpec(), name)
        if getattr(world.job, name) != usual:
            yield replace(world, job=replace(world.job, **{name: usual}))
    for number in range(1, world.faults.kills):
        yield replace(world, faults=replace(world.faults, kills=number))


def _without_links(world: World) -> Iterator[World]:
    for page in world.pages:
        for link in page.links:
            fewer = tuple(other for other in page.links if other is not link)
            yield _with(world, page, replace(page, links=fewer))


def _without_pages(world: World) -> Iterator[World]:
    half = len(world.pages) // 2
    seeds = set(world.job.seeds)
    for part in (world.pages[half:], world.pages[:half]):
        kept = tuple(p for p in world.pages if p not in part or p.url in seeds)
        if len(kept) < len(world.pages):
            yield replace(world, pages=kept)
    for page in world.pages:
        if page.url not in seeds:
            yield replace(world, pages=tuple(p for p in world.pages if p is not page))


def _with(world: World, before: Any, after: Any) -> World:
    return replace(world, pages=tuple(after if p is before else p for p in world.pages))
