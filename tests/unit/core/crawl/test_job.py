from __future__ import annotations

import msgspec
import pytest

from gossamer.core.crawl.job import (
    JobConfig,
    Rules,
    ScopeConfig,
    checked,
    read_job,
    seed_url,
)
from gossamer.core.crawl.traps import TrapConfig
from gossamer.core.errors import ConfigurationError


def mistakes(text):
    with pytest.raises(ConfigurationError) as caught:
        read_job(text, "crawl.toml")
    return str(caught.value).splitlines()


def test_an_empty_file_is_a_job_with_all_defaults():
    assert read_job("", "crawl.toml") == JobConfig()


def test_every_key_of_a_file_arrives():
    text = """
    seeds = ["a.test", "http://b.test/x"]
    exclude = ["/private/"]
    max_pages = 500
    max_depth = 0
    delay = 2
    retries = 0
    user_agent = "Spinne"
    contact = "https://us.test/bot"
    extractor = "auto"
    [scope]
    domains = ["a.test"]
    skip_extensions = [".PDF"]
    [traps]
    max_segments = 7
    """

    config = read_job(text, "crawl.toml")

    assert config.seeds == ["a.test", "http://b.test/x"]
    assert (config.max_pages, config.max_depth, config.delay, config.retries) == (500, 0, 2.0, 0)
    assert config.scope == ScopeConfig(domains=["a.test"], skip_extensions=[".PDF"])
    assert config.traps == TrapConfig(max_segments=7)
    assert config.identity() == "Spinne/0.1 (+https://us.test/bot)"


WRONG = [
    ("seeds = 'http://a.test/'", "seeds"),
    ("seeds = [1]", "seeds"),
    ("exclude = 'x'", "exclude"),
    ("max_pages = 0", "max_pages"),
    ("max_pages = -5", "max_pages"),
    ("max_pages = 1.5", "max_pages"),
    ("max_pages = '500'", "max_pages"),
    ("max_documents = true", "max_documents"),
    ("max_depth = -1", "max_depth"),
    ("max_seconds = 0", "max_seconds"),
    ("max_bytes = 0", "max_bytes"),
    ("max_links = 0", "max_links"),
    ("retries = 11", "retries"),
    ("retry_wait = -1", "retry_wait"),
    ("delay = -0.1", "delay"),
    ("delay = 'slow'", "delay"),
    ("delay = nan", "delay"),
    ("max_delay = 1e9", "max_delay"),
    ("concurrency = 0", "concurrency"),
    ("user_agent = ''", "user_agent"),
    ("contact = 5", "contact"),
    ("sitemaps = 'yes'", "sitemaps"),
    ("follow = 1", "follow"),
    ("link_scope = 5", "link_scope"),
    ("link_scope = '//div['", "link_scope"),
    ("extractor = 'best'", "extractor"),
    ("allow_private = 'no'", "allow_private"),
    ("scope = 5", "scope"),
    ("[scope]\nhosts = 'a.test'", "scope.hosts"),
    ("[scope]\nanywhere = 1", "scope.anywhere"),
    ("[traps]\nmax_segments = 0", "traps.max_segments"),
    ("[traps]\nper_host = 'many'", "traps.per_host"),
    ("exclude = ['(']", "pattern '('"),
    ("[scope]\ninclude = ['[']", "pattern '['"),
    ("[scope]\nprefixes = ['a.test/x']", "prefix 'a.test/x'"),
    ("[scope]\nhosts = ['http://a.test/']", "host 'http://a.test/'"),
    ("seeds = ['http://']", "seed 'http://'"),
    ("seeds = ['']", "seed ''"),
    ("seeds = ['nonsense']", "seed 'nonsense'"),
    ("seeds = ['ftp://a.test/']", "seed 'ftp://a.test/'"),
]


@pytest.mark.parametrize(("text", "named"), WRONG, ids=[text for text, _ in WRONG])
def test_a_mistake_is_one_line_that_names_the_file_and_the_key(text, named):
    (line,) = mistakes(text)

    assert line.startswith("crawl.toml: ")
    assert named in line


def test_a_file_that_is_not_toml_says_where():
    (line,) = mistakes("seeds = [\nmax_pages")

    assert line.startswith("crawl.toml: not TOML: ")
    assert "line 2" in line


def test_several_mistakes_are_told_at_once():
    lines = mistakes("max_pages = 0\ndelay = -1\nspeed = 3\n[scope]\nanywhere = 5\nhost = []")

    assert len(lines) == 5
    assert all(line.startswith("crawl.toml: ") for line in lines)


@pytest.mark.parametrize(
    ("text", "wrong", "right"),
    [
        ("max_page = 5", "max_page", "max_pages"),
        ("depth = 5", "depth", "max_depth"),
        ("useragent = 'x'", "useragent", "user_agent"),
        ("[scope]\nhost = ['a.test']", "scope.host", "hosts"),
        ("[traps]\nper_pattrn = 5", "traps.per_pattrn", "per_pattern"),
    ],
)
def test_an_unknown_key_suggests_the_near_one(text, wrong, right):
    (line,) = mistakes(text)

    assert line == f"crawl.toml: unknown key {wrong!r}; did you mean {right!r}?"


def test_a_key_near_to_none_gets_the_list_of_all():
    (line,) = mistakes("zzzz = 1")

    assert "known keys: seeds, scope, exclude" in line


@pytest.mark.parametrize(
    ("seed", "url"),
    [
        ("a.test", "https://a.test/"),
        ("a.test/x?y=1", "https://a.test/x?y=1"),
        ("http://A.test:80", "http://a.test/"),
        (" https://a.test/ ", "https://a.test/"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        ("http://localhost:8000", "http://localhost:8000/"),
        ("localhost:8000/x", "https://localhost:8000/x"),
        ("a.test:8080", "https://a.test:8080/"),
        ("a.test?to=b@a.test", "https://a.test/?to=b@a.test"),
        ("a.test/x:y", "https://a.test/x:y"),
        ("bücher.test", "https://xn--bcher-kva.test/"),
    ],
)
def test_a_seed_is_taken_as_a_person_types_it(seed, url):
    assert seed_url(seed) == url


NO_ADDRESSES = [
    *("", "hello world", "/etc/passwd", "./x", "ftp://a.test/", "mailto:a@b", "mailto:me@a.test"),
    *("me@a.test", "MAILTO:me@a.test?subject=x", "javascript:alert(1)", "urn:isbn:1"),
]


@pytest.mark.parametrize("seed", NO_ADDRESSES)
@pytest.mark.parametrize("allow_private", [True, False])
def test_a_seed_that_is_no_web_address_is_refused_with_an_example(seed, allow_private):
    with pytest.raises(ConfigurationError, match=r"write it like https://example\.org/"):
        seed_url(seed, allow_private=allow_private)


@pytest.mark.parametrize(
    ("seed", "url"),
    [
        ("http://wiki:8080/", "http://wiki:8080/"),
        ("wiki:8080/start", "https://wiki:8080/start"),
        ("wiki", "https://wiki/"),
    ],
)
def test_a_host_without_a_dot_needs_the_private_network(seed, url):
    assert checked({"seeds": [seed], "allow_private": True}, "test").seeds == [seed]
    assert seed_url(seed, allow_private=True) == url
    with pytest.raises(ConfigurationError, match="--allow-private"):
        seed_url(seed)


CONFIGS = [
    JobConfig(),
    JobConfig(seeds=["a.test"], max_pages=3, delay=0.0, follow=False),
    JobConfig(scope=ScopeConfig(anywhere=True, skip_extensions=[]), traps=TrapConfig(per_host=9)),
]


@pytest.mark.parametrize("config", CONFIGS)
def test_a_job_survives_being_stored(config):
    stored = msgspec.json.encode(config)

    assert msgspec.json.decode(stored, type=JobConfig) == config


@pytest.mark.parametrize("config", CONFIGS)
def test_a_job_written_out_is_a_job_file_again(config):
    assert checked(msgspec.to_builtins(config), "stored") == config


def test_without_bounds_the_scope_is_the_hosts_of_the_seeds():
    rules = Rules(JobConfig(seeds=["http://a.test/x", "http://b.test:81/"]))

    assert rules.scope.reject("http://a.test/other", 1) == ""
    assert rules.scope.reject("http://b.test:81/", 1) == ""
    assert rules.scope.reject("http://c.test/", 1) == "out-of-scope"


def test_given_bounds_replace_the_hosts_of_the_seeds():
    scope = ScopeConfig(hosts=["B.test"])
    rules = Rules(JobConfig(seeds=["http://a.test/"], scope=scope))

    assert rules.scope.reject("http://b.test/", 1) == ""
    assert rules.scope.reject("http://a.test/", 1) == "out-of-scope"


def test_anywhere_means_every_host():
    rules = Rules(JobConfig(seeds=["http://a.test/"], scope=ScopeConfig(anywhere=True)))

    assert rules.scope.reject("http://far.test/", 1) == ""


def test_extensions_to_skip_can_be_chosen():
    chosen = Rules(JobConfig(scope=ScopeConfig(anywhere=True, skip_extensions=[".Txt"])))

    assert chosen.scope.reject("http://a.test/x.txt", 1) == "file-type"
    assert chosen.scope.reject("http://a.test/x.pdf", 1) == ""


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("https://seed.test/x", True),
        ("https://www.seed.test/", True),
        ("http://seed.test:8080/", True),
        ("https://host.test/", True),
        ("https://example.org/", True),
        ("https://docs.example.org/", False),
        ("https://prefix.test/elsewhere", True),
        ("https://found.test/", False),
    ],
)
def test_a_person_names_the_hosts_of_seeds_and_scope_but_no_subdomain(url, named):
    scope = ScopeConfig(
        hosts=["Host.test"], domains=["*.example.org"], prefixes=["https://prefix.test/docs"]
    )

    assert Rules(JobConfig(seeds=["https://seed.test/"], scope=scope)).names(url) is named


@pytest.mark.parametrize(
    ("agent", "contact", "line"),
    [
        ("Gossamer", "", "Gossamer/0.1"),
        ("Mine/2.0", "me@us.test", "Mine/2.0 (+me@us.test)"),
    ],
)
def test_the_identity_says_who_asks_and_where_to_complain(agent, contact, line):
    assert JobConfig(user_agent=agent, contact=contact).identity() == line
