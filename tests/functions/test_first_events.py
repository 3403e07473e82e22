"""Does every function answer the event that wakes it first, in a stack that has nothing?

`python -m scripts.bench imports` measures how long that takes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.bench.questions import imports
from scripts.bench.worlds.empty_aws import empty_aws

ROOT = Path(__file__).resolve().parents[2]
ANSWERS = {
    "schedule": {},
    "compact": {"compacted": False},
    "rank": {"ranked": None},
    "recrawl": {},
    "search": {"type": "found", "document": None},
}


@pytest.fixture(scope="module")
def endpoint():
    with empty_aws() as address:
        yield address


@pytest.mark.parametrize("function", sorted(each.name for each in ROOT.glob("functions/[a-z]*")))
def test_the_first_event_is_answered(function, endpoint):
    event = json.dumps(imports.first_event(function))
    done = subprocess.run(
        [sys.executable, "-c", imports.STARTED, event, str(ROOT / "functions" / function)],
        env=imports.environment(endpoint),
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    imported, answered, answer = json.loads(done.stdout)
    assert 0.0 < imported < answered
    if function == "api":
        assert (answer["statusCode"], json.loads(answer["body"])["total"]) == (200, 0)
    else:
        assert answer == ANSWERS.get(function, {"batchItemFailures": []})
