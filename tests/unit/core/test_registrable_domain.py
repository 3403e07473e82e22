from __future__ import annotations

from pathlib import Path

import pytest
import tld

from gossamer.core.registrable_domain import registrable_domain

LIST = Path(tld.__file__).parent / "res" / "effective_tld_names.dat.txt"


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


def test_names_below_every_suffix_of_the_list_belong_to_whom_the_package_says():
    lines = LIST.read_text(encoding="utf-8").splitlines()
    rules = [line.strip().lstrip("!") for line in lines if line and not line.startswith("//")]
    names = [
        f"{below}{rule}".replace("*", "star") for rule in rules for below in ("", "a.", "b.a.")
    ]
    assert len(names) > 20_000

    wrong = {
        name: (found, said)
        for name in names
        if (found := registrable_domain(name))
        != (said := tld.get_fld(f"http://{name}/", fail_silently=True) or name)
    }

    assert wrong == {}
