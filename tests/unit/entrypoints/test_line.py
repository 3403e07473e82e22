"""Do messages arrive whole, in whatever pieces they come?"""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.entrypoints.line import Frames, framed, receive


@given(st.lists(st.binary(max_size=300), max_size=6), st.integers(1, 50))
def test_messages_are_put_together_of_pieces(messages, size):
    sent, frames = b"".join(map(framed, messages)), Frames()

    pieces = [sent[begin : begin + size] for begin in range(0, len(sent), size)]

    assert [message for piece in pieces for message in frames.take(piece)] == messages


@pytest.mark.parametrize("cut", range(8))
def test_a_message_that_is_cut_is_none(cut):
    stream = io.BytesIO(framed(b"four")[:cut])

    assert receive(stream) is None  # type: ignore[arg-type]


def test_an_empty_message_is_one():
    assert receive(io.BytesIO(framed(b""))) == b""  # type: ignore[arg-type]
