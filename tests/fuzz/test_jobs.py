"""Is every mistake in a job file told as one, and everything that is accepted usable?"""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.adapters.local.home import LocalHome
from gossamer.core.crawl.job import MAX_NUMBER, JobConfig, Rules, checked, read_job
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.cli import main
from gossamer.homes import decode_body
from tests.effort import often
from tests.fuzz.bounds import attempt, within

KEYS = [field.encode_name for field in msgspec.structs.fields(JobConfig)]
VALUES = [
    "0", "-1", "1", "nan", "-nan", "inf", "-inf", "1e999", "9" * 30, "9" * 5000, "0x" + "f" * 40,
    "true", '""', '"a.test"', '"\\u0000"', '"\\r\\nX: y"', '"../../etc/passwd"', "'((((('", "[]",
    '["a.test"]', '["\\u0000"]', "['(a+)+$']", "['(']", "[[[[]]]]", "{}", "{a=1}", "{hosts=['*']}",
    "{hosts=['a b']}", "{per_host=1e3}", "{per_host=" + "9" * 30 + "}", "2026-01-01", "2026-99-99",
    "'//a['", "'//a'", "'" + "(" * 500 + "'", '"\\ud800"', '"' + "x" * 300 + '"',
    "1979-05-27T00:32:00Z", "['http://user:pw@a.test/']", "['javascript:1']",
    "{skip_extensions=['']}",
]  # fmt: skip
LINES = st.tuples(st.sampled_from([
    *KEYS, "x", "scope.hosts", "traps.per_host", '"\\u0000"', "a.b.c",
]),
                  st.sampled_from(VALUES)).map(" = ".join)  # fmt: skip
TEXTS = st.one_of(
    st.lists(
        LINES | st.sampled_from(["[scope]", "[[scope]]", "[traps]", "[", "#\0"]), max_size=5
    ).map("\n".join),
    st.text(max_size=80),
)
BROKEN = {
    "nested arrays": "seeds = " + "[" * 100_000,
    "nested tables": "seeds = " + "{a=" * 3_000,
    "a very long number": "max_pages = " + "9" * 5_000,
    "a number that no store keeps": "max_pages = " + "9" * 30,
    "such a number further inside": "[traps]\nper_host = " + "9" * 30,
    "a NUL in an XPath": 'link_scope = "a\\u0000"',
    "a deep XPath": f"link_scope = '{'(' * 100_000}'",
    "an escape in an XPath": 'link_scope = "//a[\\u001b]"',
    "a second header": 'user_agent = "x\\r\\nHost: evil.test"',
    "a second header by contact": 'contact = "x\\nCookie: a=b"',
    "a pattern too large": "exclude = ['((a{1000}){1000}){1000}']",
    "no number": "delay = nan",
    "no end": "delay = inf",
    "a path for a host": '[scope]\nhosts = ["../../etc/passwd"]',
    "no address": 'seeds = ["../../etc/passwd"]',
    "a file": 'seeds = ["file:///etc/passwd"]',
    "many mistakes": "\n".join(f"k{n} = 1" for n in range(5_000)),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = LocalHome(None, tmp_path_factory.mktemp("warc"), decode_body)
    yield home
    home.close()


@often(400)
@given(TEXTS)
@example("max_seconds = inf")
@example(f"max_pages = {MAX_NUMBER}")
def test_a_file_is_a_job_or_a_mistake_with_its_name(home, text):
    config, mistake = attempt(ConfigurationError, lambda: read_job(text, "job.toml"))

    if config is None:
        assert str(mistake).startswith("job.toml: ")
        return
    assert checked(msgspec.to_builtins(config), "again") == config
    home.jobs.configure("web", config, 100.0)  # a store can keep it
    stored = home.jobs.get("web")
    assert stored is not None
    assert stored.config.user_agent == config.user_agent
    assert Rules(config).scope.reject("http://a.test/", 0) is not None
    assert config.identity().isprintable()


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_wrong_usage_in_words(tmp_path, capsys, text):
    path = tmp_path / "job.toml"
    path.write_text(text)

    with within(5.0):
        code = main.main(
            ["crawl", "--data", str(tmp_path / "data"), "--config", str(path), "http://a.test/"]
        )

    said = capsys.readouterr()
    assert code == 2
    assert said.out == ""
    assert all(line.startswith("gossamer: ") for line in said.err.splitlines())
    assert "Traceback" not in said.err
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x80", b"seeds = '\xed\xa0\x80'"])
def test_a_file_that_is_no_text_is_wrong_usage(tmp_path, capsys, content):
    path = tmp_path / "job.toml"
    path.write_bytes(content)

    assert main.main(["crawl", "--config", str(path), "http://a.test/"]) == 2
    assert str(path) in capsys.readouterr().err


def test_the_largest_number_is_allowed():
    assert read_job(f"max_pages = {MAX_NUMBER}", "x").max_pages == MAX_NUMBER
    with pytest.raises(ConfigurationError, match="may exceed"):
        read_job(f"max_pages = {MAX_NUMBER + 1}", "x")


def test_an_agent_may_have_any_printable_name():
    assert read_job('user_agent = "Spinne ü 🕸/1.0"', "x").user_agent == "Spinne ü 🕸/1.0"
