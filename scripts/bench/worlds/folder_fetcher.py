"""A fetcher that answers from a folder instead of the network."""

import asyncio
import mimetypes
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

from gossamer.adapters.http.response_reader import is_accepted
from gossamer.ports.fetcher import HttpRequest, HttpResponse


class FolderFetcher:
    """Gives the file that a URL's path names, with the headers of a web server."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def fetch(self, request: HttpRequest) -> HttpResponse:
        """The file as a response; 404 if there is none."""
        await asyncio.sleep(0)
        file = self._root / unquote(urlsplit(request.url).path).lstrip("/")
        file = file / "index.html" if file.is_dir() else file
        found = file.is_file() and file.resolve().is_relative_to(self._root)
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        if found and not is_accepted(kind, request.accept_types):
            return HttpResponse(
                url=request.url, started_at=time.time(), code=200, fault="content-type"
            )
        body = file.read_bytes() if found else b"not found"
        headers = (("Content-Type", kind), ("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT"))
        return HttpResponse(
            url=request.url,
            started_at=time.time(),
            code=200 if found else 404,
            headers=(*headers, ("ETag", f'"{len(body):x}"')),
            raw=body,
            body=body,
        )

    async def close(self) -> None:
        """Nothing to close."""
