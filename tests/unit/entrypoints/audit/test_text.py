from __future__ import annotations

import json

import pytest

from gossamer.entrypoints.cli.main import main
from tests.unit.entrypoints.audit.test_command import ask, rules, warc_of

HOSTS = ("a.test", "b.test", "c.test")


@pytest.fixture
def polite(tmp_path):
    pages = [ask(f"http://{host}/", 100.0) for host in HOSTS]
    return warc_of(tmp_path, *[rules(host=host) for host in HOSTS], *pages)


@pytest.fixture
def rude(tmp_path):
    text = "User-agent: *\nDisallow: /"
    pages = [ask(f"http://a.test/{i}", 100.0 + i) for i in range(30)]
    return warc_of(tmp_path, rules(text), *pages, name="rude.warc.gz")


def lines(capsys) -> list[str]:
    return list(capsys.readouterr().out.splitlines())


def test_a_certificate_fits_on_a_screen_and_ends_with_its_digest(capsys, polite):
    assert main(["audit", str(polite)]) == 0

    page = lines(capsys)
    assert main(["audit", str(polite), "--json"]) == 0
    certificate = json.loads(capsys.readouterr().out)
    assert len(page) <= 25
    assert page[-1] == (
        f"certificate: 6 requests to 3 hosts, 0 violations · sha256:{certificate['sha256']}"
    )
    assert not {"\x1b", "\r"} & {*"".join(page)}


def test_violations_are_told_and_make_the_exit_code_1(capsys, rude):
    assert main(["audit", str(rude)]) == 1

    page = lines(capsys)
    assert "disallowed: http://a.test/0 at 1970-01-01T00:01:40.000Z: robots.txt forbids it" in page
    assert "… and 20 more violations" in page
    assert "30 violations · sha256:" in page[-1]


def test_a_damaged_file_is_named_and_makes_the_exit_code_2(capsys, polite):
    polite.write_bytes(polite.read_bytes()[:-300] + b"x" * 300)

    assert main(["audit", str(polite)]) == 2
    assert f"gossamer: cannot audit: {polite} at " in capsys.readouterr().err


def test_hosts_are_shown_as_far_as_is_asked_for(capsys, polite):
    main(["audit", str(polite), "--hosts", "1"])

    page = lines(capsys)
    assert "… and 2 more hosts: --hosts N shows more, --json all" in page
    assert sum(".test " in line for line in page) == 1


def test_one_host_alone_can_be_certified(capsys, polite):
    assert main(["audit", str(polite), "--host", "b.test"]) == 0

    assert lines(capsys)[-1].startswith("certificate: 2 requests to 1 host, 0 violations · ")


def test_a_host_that_was_never_asked_makes_the_exit_code_2(capsys, polite):
    assert main(["audit", str(polite), "--host", "d.test"]) == 2


def test_many_files_are_counted(capsys, tmp_path):
    names = [f"{i}.warc.gz" for i in range(5)]
    files = [str(warc_of(tmp_path, rules(host=f"h{i}.test"), name=n)) for i, n in enumerate(names)]

    main(["audit", *files])

    page = lines(capsys)
    assert sum(line.startswith("file ") for line in page) == 2
    assert "… and 3 more files (--json)" in page


def test_what_found_no_address_is_told(capsys, tmp_path):
    lost = ask("http://a.test/x", 100.0, code=0, fault="dns", body=b"")

    main(["audit", str(warc_of(tmp_path, rules(), lost))])

    assert lines(capsys)[0] == "requests  1 page, 1 robots.txt (1 found no address)"
