"""The registrable domain of a host: the part of its name that was registered, by the public suffix
list (bbc.co.uk of www.bbc.co.uk).

The list comes with the package tld, private suffixes included: a.github.io and b.github.io have
different owners. Only its file is used: the package takes 70 ms to read it into a tree, in each
process that indexes, and a set of its lines is read in a tenth of that.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ada_url import idna_to_ascii, idna_to_unicode

from gossamer.core.urls import hostname_of

_FILE: Final = "res/effective_tld_names.dat.txt"


@lru_cache(maxsize=65_536)
def registrable_domain(host: str) -> str:
    """The registrable domain of a host as `host_of` gives it.

    What has none is its own: an address, a name on a local network, a public suffix itself.
    """
    name = hostname_of(f"http://{host}/")
    if "xn--" not in name:
        return _registered(name)
    # The list has international names as people write them.
    written = idna_to_unicode(name)
    found = _registered(written)
    return name if found == written else idna_to_ascii(found).decode()


def _registered(name: str) -> str:
    """The longest suffix of the list and one label more; the name itself if that is no more."""
    rules, labels = _rules(), name.rstrip(".").split(".")
    found, suffix = "", ""
    for place in range(len(labels) - 1, -1, -1):
        behind, suffix = suffix, ".".join(labels[place:])
        if f"!{suffix}" in rules:
            return suffix
        if suffix in rules or f"*.{behind}" in rules:
            found = ".".join(labels[place - 1 :]) if place else name
    return found or name


@cache
def _rules() -> frozenset[str]:
    """The lines of the list: suffixes, `*.suffix` for all names below it, `!name` for none."""
    package = find_spec("tld")
    folders = (package and package.submodule_search_locations) or ["tld"]
    lines = (Path(folders[0]) / _FILE).read_text(encoding="utf-8").splitlines()
    return frozenset([line.strip() for line in lines if line and not line.startswith("//")])
