"""Where a page sends its reader after some seconds: the Refresh header, or a meta element."""

from __future__ import annotations

import re

_read = re.compile(r"\s*[\d.]+\s*[;,\s]\s*(?:url\s*=\s*)?[\"']?([^\"']+)", re.IGNORECASE).match


def refresh_target(text: str) -> str:
    """The address in "5; url=/next"; "" if there is none."""
    found = _read(text[:4096])
    return found[1].strip() if found else ""
