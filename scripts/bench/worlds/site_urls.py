"""When do two URLs of one site mean the same address?

The bench's own answer, made of the standard library only: it judges Gossamer's.
"""

from urllib.parse import quote, unquote, urljoin, urlsplit

PATH_SAFE = "/:@!$&'()*+,;=-._~"  # RFC 3986 pchar and the slash


def address(url: str, origin: str) -> str | None:
    """Path and query of a URL of this site, in one spelling; None when it is elsewhere."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if f"{parts.scheme}://{parts.netloc}".lower() != origin:
        return None
    path = quote(unquote(parts.path or "/"), safe=PATH_SAFE)
    return f"{path}?{parts.query}" if parts.query else path


def target(base: str, reference: str, origin: str) -> str | None:
    """Where a link on the page at `base` leads; None when it leaves the site."""
    try:
        return address(urljoin(origin + base, reference.strip()), origin)
    except ValueError:
        return None
