"""The registrable domain of a host: the part of its name that was registered, by the public suffix
list (bbc.co.uk of www.bbc.co.uk).

The list comes with the package tld, private suffixes included: a.github.io and b.github.io have
different owners.
"""

from __future__ import annotations

from functools import lru_cache

from ada_url import idna_to_ascii, idna_to_unicode

from gossamer.core.urls import hostname_of


@lru_cache(maxsize=65_536)
def registrable_domain(host: str) -> str:
    """The registrable domain of a host as `host_of` gives it.

    What has none is its own: an address, a name on a local network, a public suffix itself.
    """
    from tld import get_fld  # its list takes 70 ms to read: only those who index wait for it

    name = hostname_of(f"http://{host}/")
    if "xn--" not in name:
        return get_fld(f"http://{name}/", fail_silently=True) or name
    # The list has international names as people write them.
    found = get_fld(f"http://{idna_to_unicode(name)}/", fail_silently=True)
    return idna_to_ascii(found).decode() if found else name
