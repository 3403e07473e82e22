"""Run the jobs of scripts/spark in one session of Spark, on two cores of this machine."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from scripts.venvs import ROOT, venv

if TYPE_CHECKING:
    from collections.abc import Callable

SPARK_SECONDS = 300  # a JVM starts, and a busy machine has two cores
# Compiled in haste: a run is over before better code would pay, a quarter of the time earlier.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1"


@cache
def spark_jobs() -> Callable[..., dict[str, Any]]:
    """A function that runs a job with its arguments; or a reason to do without."""
    if shutil.which("java") is None:
        pytest.skip("Spark needs java, which is not on the PATH")
    if os.environ.get("GOSSAMER_SPARK") != "1" and not (ROOT / ".venv-spark" / ".done").is_file():
        pytest.skip("no .venv-spark; `make test-spark` makes it")
    _use_pyspark()
    spark = _session()

    def run(job: str, *arguments: object) -> dict[str, Any]:
        from scripts.spark.jobs import parse

        module, args = parse([job, *map(str, arguments)])
        return module.run(spark, args)

    return run


def _use_pyspark() -> None:
    """PySpark lies in a venv of its own; everything else that jobs import lies in ours."""
    [packages] = (venv("spark").parent / "lib").glob("python*/site-packages")
    sys.path.append(str(packages))
    os.environ |= {
        "JAVA_TOOL_OPTIONS": JAVA_OPTIONS,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(packages)]),
    }


def _session() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from scripts.spark.session import session

        spark = session("tests")
    spark.sparkContext.setLogLevel("ERROR")
    return spark
