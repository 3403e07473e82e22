"""Does `gossamer run` leave nothing behind, however it ends?"""

from __future__ import annotations

import socket
import subprocess
from contextlib import closing

import pytest

from tests.e2e.crawls import GOSSAMER, PATIENCE, await_that, crawl_flags, environment, hold_after
from tests.e2e.test_demo import free_port
from tests.sites.generated import generate


def is_taken(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize("end", [subprocess.Popen.kill, subprocess.Popen.terminate])
def test_the_search_page_ends_with_it_and_frees_its_port(server, data, end):
    site, port = server.publish(generate(11, server.port, 30, second=0)), free_port()
    flags = crawl_flags(site.seed, data, "--port", port, "--workers", 2)[1:]
    with subprocess.Popen(
        [GOSSAMER, "run", *flags],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(),
    ) as process:
        try:
            hold_after(server, 5, process)
            await_that(lambda: is_taken(port), "the search page")
            end(process)
            server.release()
            process.wait(PATIENCE)
        finally:
            process.kill()

    await_that(lambda: not is_taken(port), "the port is free again")
