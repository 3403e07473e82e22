"""Jobs, for those who have the admin key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.entrypoints.api import admin
from gossamer.entrypoints.api.answers import Content, NotFound, Request, to_json

if TYPE_CHECKING:
    from gossamer.entrypoints.api.backend import Backend


class Jobs(msgspec.Struct, frozen=True):
    """All jobs of a collection."""

    jobs: list[admin.JobView]


def seeds(backend: Backend, request: Request) -> Content:
    """Give a job more URLs."""
    return Content(to_json(backend.admitted(request).seed(*admin.read_seeds(request.body))))


def jobs(backend: Backend, request: Request) -> Content:
    """All jobs."""
    return Content(to_json(Jobs(backend.admitted(request).jobs())))


def job(backend: Backend, request: Request) -> Content:
    """One job."""
    name, views = request.args["job"], backend.admitted(request).jobs()
    found = next((view for view in views if view.job == name), None)
    if found is None:
        raise NotFound(f"there is no job {name!r}")
    return Content(to_json(found))


def steer(backend: Backend, request: Request) -> Content:
    """Pause, resume or stop a job."""
    administration = backend.admitted(request)
    if request.args["action"] not in admin.ACTIONS:
        raise NotFound("a job can be paused, resumed and stopped")
    found = administration.steer(request.args["job"], request.args["action"])
    if found is None:
        raise NotFound(f"there is no job {request.args['job']!r}")
    return Content(to_json(found))
