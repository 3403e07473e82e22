"""Does the description of the API say all, and only what is there?"""

from __future__ import annotations

import json
from typing import Any

from gossamer.entrypoints.api.openapi import description
from tests.unit.entrypoints.api.asking import APP

DESCRIPTION: Any = description()


def test_every_route_is_described():
    assert set(DESCRIPTION["paths"]) == set(APP.routes)


def test_every_reference_leads_somewhere():
    text = json.dumps(DESCRIPTION)
    names = DESCRIPTION["components"]["schemas"]

    for part in text.split('"#/components/schemas/')[1:]:
        assert part.partition('"')[0] in names


def test_every_operation_says_how_it_can_fail():
    always = {"200", "405", "414", "429", "431", "500", "503"}
    for path, operations in DESCRIPTION["paths"].items():
        for operation in operations.values():
            assert always <= set(operation["responses"]), path
