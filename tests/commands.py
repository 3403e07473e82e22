"""Commands of `gossamer` in this process: as they would end, without the time a process takes."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
from typing import TYPE_CHECKING, Any

from gossamer.entrypoints.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


def run_here(*arguments: object) -> subprocess.CompletedProcess[str]:
    """A command to its end."""
    line = [str(argument) for argument in arguments]
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            code = main(line)
        except SystemExit as left:
            code = int(left.code or 0)
    return subprocess.CompletedProcess(line, code, out.getvalue(), errors.getvalue())


def said(*arguments: object) -> dict[str, Any]:
    """What a command that succeeds prints as JSON."""
    command, *rest = arguments
    done = run_here(command, "--json", *rest)
    assert (done.returncode, done.stderr) == (0, "")
    return dict(json.loads(done.stdout))


def found(data: Path, query: str, *flags: object) -> list[str]:
    """The URLs that a search finds."""
    return [hit["url"] for hit in said("search", "--data", data, *flags, "--", query)["hits"]]


def complains(*arguments: object) -> str:
    """What a command says that is used wrongly: one line."""
    done = run_here(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("gossamer: ")
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def judged_folder(folder: Path) -> Path:
    """A small judged collection in BEIR's layout."""
    folder.mkdir()
    corpus = [
        {"_id": "d1", "title": "Orb webs", "text": "An orb web is spun within an hour."},
        {"_id": "d2", "title": "Silk", "text": "Silk is stronger than steel."},
        {"_id": "d3", "title": "", "text": "Steel is made in a furnace."},
    ]
    queries = [{"_id": "1", "text": "strong silk?"}, {"_id": "2", "text": 'an "orb) web'}]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines)
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\td2\t1\n2\td1\t2\n2\td3\t0\n")
    return folder
