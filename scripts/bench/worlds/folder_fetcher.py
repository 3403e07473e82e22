"""A fetcher that answers from folders, or what is like them, instead of the network."""

import asyncio
import mimetypes
from collections.abc import Callable, Mapping
from typing import Protocol
from urllib.parse import urlsplit

from gossamer.adapters.http.response_reader import is_accepted
from gossamer.ports.fetcher import HttpRequest, HttpResponse

MODIFIED = ("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")


class Files(Protocol):
    """The files of one host."""

    def read(self, path: str) -> tuple[str, bytes] | None:
        """The name of the file at a path and what is in it, if there is one."""


class FolderFetcher:
    """Gives the file that a URL's path names, with the headers of a web server."""

    def __init__(
        self, sites: Mapping[str, Files], clock: Callable[[], float], seconds: float
    ) -> None:
        """`sites`: by host; `seconds`: how long a response takes."""
        self._sites, self._clock, self._seconds = sites, clock, seconds

    async def fetch(self, request: HttpRequest) -> HttpResponse:
        """The file as a response; 404 if there is none."""
        url, started_at = request.url, self._clock()
        await asyncio.sleep(self._seconds)
        parts = urlsplit(url)
        found = self._sites[parts.netloc].read(parts.path)
        name, body = found or ("", b"not found")
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        if found and not is_accepted(kind, request.accept_types):
            return HttpResponse(url=url, started_at=started_at, code=200, fault="content-type")
        return HttpResponse(
            url=url,
            started_at=started_at,
            seconds=self._seconds,
            code=200 if found else 404,
            headers=(("Content-Type", kind), MODIFIED, ("ETag", f'"{len(body):x}"')),
            raw=body,
            body=body,
        )

    async def close(self) -> None:
        """Nothing to close."""
