"""A client of the API who has the admin key, over a home of a test."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gossamer.entrypoints.api import routes
from gossamer.entrypoints.api.admin import Gate
from gossamer.entrypoints.api.backend import Backend
from gossamer.entrypoints.api.owner import Owner
from gossamer.entrypoints.lambdas import chalice_app
from tests.fake_search import FakeSearch
from tests.unit.entrypoints.api.asking import event

if TYPE_CHECKING:
    from gossamer.entrypoints.api.gateway_event import App
    from gossamer.ports.home import Home

ROUTERS = {"embedded": routes.make_app, "cloud": chalice_app.make_app}


@dataclass
class Client:
    """Sends requests with the key, and any others."""

    app: App

    def __call__(
        self, method: str, path: str, body: Any = None, kind: str = "", **headers: str
    ) -> tuple[int, dict[str, str], Any]:
        """Status, headers and body of the answer, read if it is JSON."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        resource, _, query = path.partition("?")
        asked = event(
            resource,
            method,
            dict([(part.split("=")[0], [part.split("=")[1]]) for part in query.split("&") if part])
            or None,
            headers={"Authorization": "Bearer key", **named},
        )
        if body is not None:
            asked["body"] = body if isinstance(body, str) else json.dumps(body)
            asked["headers"]["Content-Type"] = kind or "application/json"
        said = self.app(asked, None)
        is_json = said["headers"].get("Content-Type") == "application/json"
        text = str(said["body"])
        return said["statusCode"], said["headers"], json.loads(text) if is_json else text


def client_of(home: Home, router: str = "embedded") -> Client:
    """A client of the API over a home."""
    owner = Owner(lambda: nullcontext(home), lambda: nullcontext(home))
    gate = Gate(lambda: "key")
    return Client(ROUTERS[router](Backend(FakeSearch, changing=lambda: (gate, owner))))
