"""Do all parts of the fetcher agree where an answer ends?"""

from __future__ import annotations

import asyncio

import pytest

from tests.hostile.fetching import AGENT, NO_DRIPPING, PATIENT, get, is_whole
from tests.hostile.shapes import SHAPES


@pytest.mark.parametrize("path", SHAPES)
async def test_an_ambiguous_answer_ends_in_one_way_and_the_next_is_not_poisoned(
    server, fetcher_with, path
):
    shape = SHAPES[path]
    limits = NO_DRIPPING if shape.fault == "too-slow" else PATIENT

    async with fetcher_with(AGENT, allow_private=True, limits=limits) as fetcher:
        response = await fetcher.fetch(get(server.url(path)))
        await asyncio.sleep(0.02)  # what was sent too much is here by now
        after = await fetcher.fetch(get(server.url("/page")))

    assert (response.fault, response.code, response.body) == (shape.fault, shape.code, shape.body)
    assert response.seconds < PATIENT.rate_window  # no timer but that of a dripping server ended it
    assert is_whole(after)
