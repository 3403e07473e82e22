"""Which world belongs to a seed?"""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import msgspec

from tests.simulation.spec import Anchor, Faults, HostSpec, ItemSpec, JobSpec, PageSpec, World

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ITEM_SEED = 0x17E35
EVERY_BESIDE = 5  # worlds, of which one indexes as beside a crawl on one machine
SHARE_WITH_ITEMS = 0.35  # of the worlds
LETTERS = "bcdfghjklmnpqrtvwxz"  # no stemmer touches words of these
COMMON = tuple(f"{a}{b}m" for a in "bcdg" for b in "klr")
ROBOTS = (
    ["none"] * 4
    + ["open"] * 4
    + ["folder"] * 4
    + ["agents", "moved", "flaky", "slow", "forbidden", "all", "broken", "dead", "no-name"]
)
HOUR = 3600.0
CLOCK_PAGES = 200  # at 20 s a page they take longer than the hour by which a clock is wrong
CLOCK_KINDS = ["page"] * 8 + ["flaky", "throttled"]
PAGES = (
    ["page"] * 16
    + ["copy", "noindex", "dead-end", "redirect", "redirect", "missing", "gone", "error", "reset"]
    + ["flaky", "flaky", "throttled", "image", "huge", "forbidden", "garbage", "lost"]
)


def generate(seed: int, stage: str = "local") -> World:
    """The world of a seed: its hosts, its pages, what is asked and what goes wrong."""
    world = _generate(seed)
    if stage == "cloud":  # which is no embedded home, and has no rounds by hand
        job = msgspec.structs.replace(world.job, again="recrawl")
        world = msgspec.structs.replace(world, job=job, cloud_pace=True, beside=False)
    return world


def with_walls(world: World) -> World:
    """The same world, in which every page that answers wants a cookie first."""
    pages = [
        msgspec.structs.replace(page, walled=page.kind in ("page", "items", "copy", "noindex"))
        for page in world.pages
    ]
    return msgspec.structs.replace(world, pages=tuple(pages))


def with_wrong_clock(seed: int, stage: str = "local") -> World:
    """A world whose clock is ahead until messages are in flight, and that lasts longer.

    It is an hour ahead; on the stores of the cloud, which take long to simulate, fifteen minutes.
    """
    count, ahead = (45, HOUR / 4) if stage == "cloud" else (CLOCK_PAGES, HOUR)
    chance, words = Random(seed), iter(_own_words())
    host = HostSpec(name="h0.test", robots=chance.choice(["none", "open", "folder"]))
    urls = [f"http://{host.name}/{number or ''}" for number in range(count)]
    kinds = [chance.choice(CLOCK_KINDS) for _ in urls]
    pages = [
        PageSpec(url=url, kind=kind, words=(_next(words),), times=1, wait=chance.choice([0, 40]))
        for url, kind in zip(urls, ["page", *kinds[1:]], strict=True)
    ]
    pages[0] = msgspec.structs.replace(pages[0], links=tuple(map(Anchor, urls)))
    is_cloud = stage == "cloud" or chance.random() < 0.5
    return World(
        seed=seed,
        hosts=(host,),
        pages=tuple(_with_names(pages)),
        job=JobSpec(seeds=(urls[0],), delay=chance.choice([20.0, 30.0]), max_delay=30.0),
        faults=Faults(
            kills=chance.choice([0, 0, 2, 4]),
            duplicates=chance.choice([0.0, 0.1, 0.3]),
            lateness=chance.choice([0.0, 0.15]) if is_cloud else 0.0,
            stalls=chance.choice([0, 1]),
            ahead=ahead,
            right_after=chance.uniform(60.0, 0.16 * ahead),
        ),
        cloud_pace=is_cloud,
    )


def _generate(seed: int) -> World:
    chance = Random(seed)
    hosts = tuple(_host(chance, number) for number in range(chance.choice([1, 2, 2, 3, 4])))
    urls = [url for host in hosts for url in _urls(chance, host)]
    outside = ["http://elsewhere.test/", "http://elsewhere.test/x"]
    words = iter(_own_words())
    pages = _with_near_copies([_page(chance, url, urls, outside, next(words)) for url in urls])
    if chance.random() < 0.3:
        pages = _with_family(chance, pages, 1 + seed)
    pages += _traps(chance, hosts, words)
    if chance.random() < 0.2:
        pages += _chain(hosts[0].name)
    job = _job(chance, hosts)
    pages = _with_items(Random(seed ^ ITEM_SEED), pages)
    linked = _with_names([_with_doors(page, pages, job, chance) for page in pages])
    with_maps = tuple(_with_sitemap(chance, host, urls) for host in hosts)
    return World(
        seed=seed,
        hosts=with_maps,
        pages=tuple(linked),
        job=job,
        faults=_faults(chance, is_cloud := chance.random() < 0.6),
        cloud_pace=is_cloud,
        beside=seed % EVERY_BESIDE == 4,
    )


def _host(chance: Random, number: int) -> HostSpec:
    return HostSpec(
        name=f"h{number}.test",
        # The first host can be read in most worlds, or they would be over before they begin.
        robots=chance.choice(ROBOTS[:14] if number == 0 and chance.random() < 0.9 else ROBOTS),
        crawl_delay=chance.choice([0, 0, 0, 0.5, 3, 8, 40]),
        times=chance.randint(1, 2),
        latency=chance.choice([0.01, 0.05, 0.3, 2.0]),
        etags=chance.random() < 0.3,
    )


def _urls(chance: Random, host: HostSpec) -> list[str]:
    folders = ("", "", "", "a/", "b/", "private/")
    names = (f"{chance.choice(folders)}p{number}" for number in range(1, chance.randint(2, 10)))
    return [f"http://{host.name}/", *(f"http://{host.name}/{name}" for name in names)]


def _own_words() -> Sequence[str]:
    return [f"q{a}{b}{c}" for a in LETTERS for b in LETTERS for c in "bcd"]


def _page(chance: Random, url: str, urls: list[str], outside: list[str], own: str) -> PageSpec:
    is_root = url.count("/") == 3 and url.endswith("/")
    kind = "page" if is_root else chance.choice(PAGES)
    others = [other for other in urls if other != url]
    near = [other for other in others if other.split("/")[2] == url.split("/")[2]]
    targets = [*(near or urls) * 2, *others, *outside, url] if others else outside
    return PageSpec(
        url=url,
        kind=kind,
        words=(own, *chance.sample(COMMON, 4)),
        links=tuple(
            Anchor(target, nofollow=chance.random() < 0.15)
            for target in chance.sample(targets, min(len(targets), chance.randint(1, 6)))
        ),
        target=chance.choice(targets) if kind in ("redirect", "copy") else "",
        times=chance.randint(1, 3) if kind in ("flaky", "throttled") else 0,
        wait=chance.choice([0, 1, 5, 30, 200]) if kind == "throttled" else 0,
        changes=chance.random() < 0.3,
        vanishes=not is_root and chance.random() < 0.15,
        returns=chance.random() < 0.5,
        hiccups=kind == "page" and not is_root and chance.random() < 0.1,
    )


def _with_near_copies(pages: list[PageSpec]) -> list[PageSpec]:
    """Every fifth page says what the one before it says, but for a word."""
    pairs = zip(pages[:1] + pages, pages, strict=False)
    return [
        msgspec.structs.replace(page, words=(page.words[0], *before.words[1:]))
        if number % 5 == 4
        else page
        for number, (before, page) in enumerate(pairs)
    ]


def _with_family(chance: Random, pages: list[PageSpec], family: int) -> list[PageSpec]:
    """Some pages say the same at length, each with a few words of its own; some almost do."""
    return [
        msgspec.structs.replace(page, family=chance.choice([family, family, -family]))
        if page.kind == "page" and chance.random() < 0.3
        else page
        for page in pages
    ]


def _with_items(chance: Random, pages: list[PageSpec]) -> list[PageSpec]:
    """In some worlds, some pages hold items that come, go and move from round to round."""
    if chance.random() >= SHARE_WITH_ITEMS:
        return pages
    words = iter(f"x{a}{b}{c}" for a in LETTERS for b in LETTERS for c in LETTERS)
    return [
        msgspec.structs.replace(
            page, kind="items", family=0, items=_items(chance, words), whole=chance.random() < 0.3
        )
        if page.kind == "page" and not page.trap and chance.random() < 0.5
        else page
        for page in pages
    ]


def _items(chance: Random, words: Iterator[str]) -> tuple[ItemSpec, ...]:
    found = []
    for number in range(chance.choice([0, 1, 2, 3, 6])):
        rounds = tuple(n for n in (1, 2, 3) if chance.random() < 0.7)
        key = f"key {number}" if chance.random() < 0.7 else ""
        found.append(ItemSpec(next(words), key, rounds))
    return tuple(found)


def _with_names(pages: list[PageSpec]) -> list[PageSpec]:
    """Every link has a word of its own."""
    names = iter(f"z{a}{b}{c}" for a in LETTERS for b in LETTERS for c in LETTERS)
    return [
        msgspec.structs.replace(
            page,
            links=tuple(msgspec.structs.replace(link, word=next(names)) for link in page.links),
        )
        for page in pages
    ]


def _traps(chance: Random, hosts: Sequence[HostSpec], words: object) -> list[PageSpec]:
    """Endless parts of a site, which only trap rules can end."""
    name, found = hosts[0].name, []
    if chance.random() < 0.2:
        months = [(2027, 11), (2027, 12), (2028, 1)]
        urls = [f"http://{name}/calendar/{year}/{month:02}" for year, month in months]
        for number, url in enumerate(urls):
            after = tuple(Anchor(next_) for next_ in urls[number + 1 : number + 2])
            trap = "calendar" if number == 2 else ""
            found.append(PageSpec(url=url, words=(_next(words),), links=after, trap=trap))
    if chance.random() < 0.2:
        url = f"http://{name}/loop/loop/loop/"
        found.append(PageSpec(url=url, words=(_next(words),), trap="repeated-segments"))
    return found


def _next(words: object) -> str:
    return str(next(words))  # type: ignore[call-overload]


def _chain(name: str) -> list[PageSpec]:
    """More redirects in a row than anybody follows."""
    urls = [f"http://{name}/hop/{number}" for number in range(9)]
    return [PageSpec(url=url, kind="redirect", target=target) for url, target in pairwise(urls)]


def _with_doors(page: PageSpec, pages: list[PageSpec], job: JobSpec, chance: Random) -> PageSpec:
    """The first seed links to what no other page links to."""
    if page.url != job.seeds[0]:
        return page
    first = [p for p in pages if p.trap == "" and "/calendar/" in p.url][:1]
    doors = [*first, *(p for p in pages if p.url.endswith("/hop/0") or "/loop/" in p.url)]
    roots = [p for p in pages if p.url.count("/") == 3 and chance.random() < 0.5]
    links = dict.fromkeys([*page.links, *(Anchor(door.url) for door in [*doors, *roots])])
    return msgspec.structs.replace(page, links=tuple(links))


def _with_sitemap(chance: Random, host: HostSpec, urls: list[str]) -> HostSpec:
    own = [url for url in urls if url.startswith(f"http://{host.name}/")]
    listed = chance.sample(own, min(3, len(own))) if chance.random() < 0.3 else []
    return msgspec.structs.replace(host, sitemap=tuple(listed))


def _job(chance: Random, hosts: Sequence[HostSpec]) -> JobSpec:
    names = [host.name for host in hosts]
    seeded = [names[0], *(name for name in names[1:] if chance.random() < 0.7)]
    return JobSpec(
        seeds=tuple(f"http://{name}/" for name in seeded),
        delay=chance.choice([0.0, 0.2, 1.0, 1.0, 5.0]),
        max_delay=chance.choice([1.0, 30.0]),
        max_pages=chance.choice([None, None, None, 1, 3, 8, 15]),
        max_documents=chance.choice([None, None, None, None, 2, 6]),
        max_depth=chance.choice([None, None, None, 1, 2]),
        sitemaps=chance.random() < 0.8,
        rounds=chance.choice([1, 1, 1, 2, 2, 3]),
        again=chance.choice(["refresh", "recrawl", "recrawl"]),
    )


def _faults(chance: Random, is_cloud: bool) -> Faults:
    if chance.random() < 0.25:
        return Faults(interleave=chance.choice([0.0, 0.3]))  # a calm world
    return Faults(
        kills=chance.choice([0, 1, 2, 4, 8]),
        throttles=chance.choice([0, 0, 2, 6]),
        duplicates=chance.choice([0.0, 0.02, 0.1, 0.3]),
        # In one process nothing is late; in the cloud no message may be late for ever.
        lateness=chance.choice([0.0, 0.15, 0.15, 1.0]) if is_cloud else 0.0,
        stalls=chance.choice([0, 0, 1, 2]),
        poison=chance.choice([0, 0, 0, 1, 3]),
        compactions=chance.choice([0, 0, 1, 2]),
        rankings=chance.choice([0, 0, 1, 2]),
        pauses=chance.choice([0, 0, 0, 1, 2]),
        stop=chance.random() < 0.05,
        interleave=chance.choice([0.1, 0.3, 0.6]),
        staleness=chance.choice([0.0, 0.0, 1.0]) if is_cloud else 0.0,
        index_kills=chance.choice([0, 0, 1, 3]),
        merges=chance.choice([0, 0, 1, 3]),
        searches=chance.choice([0, 0, 2]),
        late_indexings=chance.choice([0, 0, 0, 2]),
    )
