"""Do all parts of the fetcher agree where an answer ends?"""

from __future__ import annotations

import asyncio

import pytest

from tests.hostile.fetching import get, is_whole
from tests.hostile.shapes import SHAPES


@pytest.mark.parametrize("path", SHAPES)
async def test_an_ambiguous_answer_ends_in_one_way_and_the_next_is_not_poisoned(
    server, fetcher, path
):
    shape = SHAPES[path]

    response = await fetcher.fetch(get(server.url(path)))
    await asyncio.sleep(0.02)  # what was sent too much is here by now
    after = await fetcher.fetch(get(server.url("/page")))

    assert (response.fault, response.code, response.body) == (shape.fault, shape.code, shape.body)
    assert response.seconds < 1
    assert is_whole(after)
