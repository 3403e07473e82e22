"""Which home does a Lambda function work in? Opened once per process, at the first event."""

from __future__ import annotations

import os
import time
from functools import lru_cache
from typing import TYPE_CHECKING

from gossamer import runtime
from gossamer.adapters.local.pool import InlineParser
from gossamer.core.errors import ConfigurationError
from gossamer.core.job import JobConfig
from gossamer.entrypoints.sqs import Home
from gossamer.settings import Settings

if TYPE_CHECKING:
    from gossamer.adapters.local.home import LocalHome


@lru_cache(maxsize=1)
def home() -> Home:
    """The home that the environment names (GOSSAMER_HOME, GOSSAMER_DATA)."""
    settings = Settings.from_environ(os.environ)
    if settings.home != "local":
        raise ConfigurationError(f"GOSSAMER_HOME={settings.home!r} is not a home; known: local")
    local = runtime.open_local(settings)
    config = _config_of_any_job(local)
    parser = InlineParser(settings.warc_folder, runtime.decode_body)
    ports = runtime.local_ports(local, runtime.http_fetcher(config), parser)

    async def settle() -> None:
        local.store.commit()

    return Home(ports, local.queues, time.time, settle)


def _config_of_any_job(local: LocalHome) -> JobConfig:
    """The identity that requests are made under: that of the latest job."""
    names = local.jobs.names()
    record = local.jobs.get(names[-1]) if names else None
    return record.config if record else JobConfig()
