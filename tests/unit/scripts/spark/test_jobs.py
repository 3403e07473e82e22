"""Is every job there, with a line that says what it does?"""

from __future__ import annotations

from pathlib import Path

from scripts.spark import jobs

HELPERS = {"__init__", "job", "jobs", "package", "rows", "session", "submit"}


def test_every_module_is_a_job_or_helps_one():
    modules = {file.stem for file in Path(jobs.__file__).parent.glob("*.py")}

    assert modules - HELPERS == set(jobs.JOBS)
