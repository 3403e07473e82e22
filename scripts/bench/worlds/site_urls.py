"""Normalize the URLs of one site.

Uses only the standard library, because Gossamer's own normalization is checked against it.
"""

from urllib.parse import quote, unquote, urljoin, urlsplit

PATH_SAFE = "/:@!$&'()*+,;=-._~"  # RFC 3986 pchar and the slash


def site_path(url: str, origin: str) -> str | None:
    """Normalized path and query of a URL of this site; None for another site."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if f"{parts.scheme}://{parts.netloc}".lower() != origin:
        return None
    path = quote(unquote(parts.path or "/"), safe=PATH_SAFE)
    return f"{path}?{parts.query}" if parts.query else path


def link_target(base: str, reference: str, origin: str) -> str | None:
    """Where a link on the page `base` leads; None if it leaves the site."""
    try:
        return site_path(urljoin(origin + base, reference.strip()), origin)
    except ValueError:
        return None
