"""Does the simulation read what the template says?"""

from __future__ import annotations

import pytest

from gossamer.topology import SQS_RECEIVES
from scripts.scale import deployment
from scripts.scale.profile import STREAMS


def test_every_stream_has_its_function_with_the_queue_of_the_template():
    stack = deployment.read()

    assert {"compact", "merge", "rank", "recrawl", *STREAMS} <= set(stack.functions)
    for stream in STREAMS:
        function = stack[stream]
        assert function.visibility >= 6 * function.timeout
        assert function.receives == SQS_RECEIVES
        assert function.concurrency >= 2


def test_a_parameter_that_is_given_replaces_its_default():
    stack = deployment.read({"FetchConcurrency": 77, "IndexWindow": 300})

    assert stack["fetch"].concurrency == 77
    assert stack["index"].window == 300
    assert stack["parse"].concurrency == deployment.read()["parse"].concurrency


def test_a_parameter_that_the_template_lacks_is_refused():
    with pytest.raises(KeyError, match="FetchConcurency"):
        deployment.read({"FetchConcurency": 3})
