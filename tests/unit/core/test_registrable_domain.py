from __future__ import annotations

import pytest

from gossamer.core.registrable_domain import registrable_domain


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("example.org", "example.org"),
        ("a.b.example.org", "example.org"),
        ("a.b.example.org:8080", "example.org"),
        ("www.bbc.co.uk", "bbc.co.uk"),
        ("www.city.kawasaki.jp", "city.kawasaki.jp"),  # an exception in the list
        ("a.b.c.kobe.jp", "b.c.kobe.jp"),  # a star in the list
        ("www.blog.github.io", "blog.github.io"),  # a private suffix
        ("a.xn--e1afmkfd.xn--p1ai", "xn--e1afmkfd.xn--p1ai"),
        ("a.b.xn--55qx5d.cn", "b.xn--55qx5d.cn"),  # 公司.cn is a suffix
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
        ("localhost:8000", "localhost"),
        ("a.test", "a.test"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]:80", "[::1]"),
    ],
)
def test_the_registrable_domain_is_that_of_the_public_suffix_list(host, domain):
    assert registrable_domain(host) == domain
