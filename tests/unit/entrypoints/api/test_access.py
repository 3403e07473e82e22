"""Are only known names and origins let in?"""

from __future__ import annotations

import socket

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.api.access import Access, access_of
from gossamer.entrypoints.api.gateway_event import Refused

LOOPBACK, EVERYWHERE = "127.0.0.1", "0.0.0.0"


def refused(access, listening=LOOPBACK, method="GET", **headers):
    try:
        access.check(method, headers, listening)
    except Refused as refusal:
        return refusal.status
    return None


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.0.0.1:8080", "127.8.0.1", "[::1]:80", "localhost", "LocalHost:1",
     "a.localhost", "localhost."],
)  # fmt: skip
def test_every_name_of_this_machine_is_its_own(host):
    assert refused(Access(), host=host) is None


@pytest.mark.parametrize(
    "host",
    ["evil.test", "evil.test:8080", "10.0.0.1", "127.0.0.1.evil.test", "localhost.evil.test", "",
     "evil.test/@127.0.0.1", "a@127.0.0.1", "[::1].evil.test", "127.0.0.1:80:80", "127.1"],
)  # fmt: skip
def test_no_other_name_is(host):
    assert refused(Access(), host=host) == 421


def test_a_server_for_all_networks_is_asked_by_any_address_and_its_own_name():
    ours = socket.gethostname()

    assert refused(Access(), EVERYWHERE, host="192.0.2.7:8080") is None
    assert refused(Access(), EVERYWHERE, host=f"{ours}:8080") is None
    assert refused(Access(), EVERYWHERE, host="evil.test") == 421


def test_the_name_and_the_address_that_it_listens_on_are_its_own():
    ours = socket.gethostname()

    assert refused(Access(), "search.lan", host="Search.LAN:80") is None
    assert refused(Access(), "192.0.2.7", host="192.0.2.7:80") is None
    assert refused(Access(), "192.0.2.7", host="192.0.2.8") == 421
    assert refused(Access(), "192.0.2.7", host=ours) is None
    assert refused(Access(), LOOPBACK, host="a" + ours) == 421


def test_names_in_the_settings_are_allowed():
    access = access_of(["search.test, other.test", "2001:db8::1"], [])

    assert refused(access, host="other.test:443") is None
    assert refused(access, host="[2001:db8::1]") is None
    assert refused(access, host="sub.other.test") == 421
    assert refused(access_of(["*"], []), host="any.test") is None


def test_old_programs_send_no_name():
    assert refused(Access()) is None


def test_who_posts_from_a_foreign_page_is_refused():
    own = {"host": "127.0.0.1:8080"}

    assert refused(Access(), method="POST", **own) is None
    assert refused(Access(), method="POST", origin="http://127.0.0.1:8080", **own) is None
    assert refused(Access(), method="POST", origin="http://127.0.0.1:9", **own) == 403
    assert refused(Access(), method="POST", origin="null", **own) == 403
    named = access_of([], ["https://blog.test"])
    assert refused(named, method="POST", origin="https://blog.test", **own) is None


def test_an_answer_names_the_one_origin_that_asked_or_all():
    some = access_of([], ["https://blog.test/", "https://Shop.test"])

    assert Access().granted({"Vary": "Accept"}, "https://blog.test") == {"Vary": "Accept"}
    granted = some.granted({"Vary": "Accept"}, "https://shop.test")
    assert granted["Access-Control-Allow-Origin"] == "https://shop.test"
    assert granted["Vary"] == "Accept, Origin"
    assert some.granted({}, "https://evil.test") == {"Vary": "Origin"}
    assert access_of([], ["*"]).granted({}, "")["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("origin", ["blog.test", "https://blog.test/path", "ftp://a.test", "null"])
def test_what_is_no_origin_says_how_to_write_one(origin):
    with pytest.raises(ConfigurationError, match=r"https://www\.example\.org"):
        access_of([], [origin])


@pytest.mark.parametrize("host", ["http://a.test", "a.test:80", "a/b"])
def test_what_is_no_host_says_how_to_write_one(host):
    with pytest.raises(ConfigurationError, match="without scheme and port"):
        access_of([host], [])
