"""Do all content stores keep the promises of `ports.content_owners`?"""

from __future__ import annotations

from gossamer.core.fingerprint import fingerprint


def test_the_first_url_owns_a_content_for_good(backend):
    md5 = fingerprint(b"hello")

    owners = [backend.home.contents.own(md5, f"http://{host}.test/") for host in "aba"]
    later = backend.reopen().contents.own(md5, "http://c.test/")

    assert owners == ["http://a.test/"] * 3
    assert later == "http://a.test/"


def test_a_url_takes_the_place_of_an_owner_that_has_another_content_by_now(any_home):
    md5 = fingerprint(b"hello")
    any_home.contents.own(md5, "http://a.test/")

    owner = any_home.contents.own(md5, "http://b.test/", instead_of="http://a.test/")
    too_late = any_home.contents.own(md5, "http://c.test/", instead_of="http://a.test/")

    assert (owner, too_late) == ("http://b.test/", "http://b.test/")


def test_different_contents_have_different_owners(any_home):
    any_home.contents.own(fingerprint(b"hello"), "http://a.test/")

    owner = any_home.contents.own(fingerprint(b"good bye"), "http://b.test/")

    assert owner == "http://b.test/"
