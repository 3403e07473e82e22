"""What does a deployed stack say about itself?"""

from __future__ import annotations

from typing import Any

import pytest

from gossamer.adapters.aws.stack.deployment import find_stack
from gossamer.core.index.segments.formats import DEFAULT_FORMAT, WRITTEN_FORMATS


class Described:
    """Clients that know one stack."""

    endpoint = ""

    def __init__(self, **parameters: str) -> None:
        pairs = [{"ParameterKey": k, "ParameterValue": v} for k, v in parameters.items()]
        outputs = [{"OutputKey": "PagesBucket", "OutputValue": "pages"}]
        self._answer = {"Stacks": [{"Parameters": pairs, "Outputs": outputs}]}

    def call(self, *_: object, **__: object) -> Any:
        return self._answer


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ({}, DEFAULT_FORMAT),
        ({"IndexFormat": str(DEFAULT_FORMAT)}, DEFAULT_FORMAT),
        ({"IndexFormat": str(WRITTEN_FORMATS[-1] + 1)}, WRITTEN_FORMATS[-1]),
    ],
)
def test_the_format_of_a_stack_is_written_as_far_as_this_program_can(said, written):
    """A stack that was deployed by a newer program reads the format before its own."""
    clients: Any = Described(**said)

    assert find_stack(clients, "it").index_format == written
