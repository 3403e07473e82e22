"""Is a crawl that cannot begin refused before anything is written?"""

from __future__ import annotations

import pytest

from gossamer import homes
from gossamer.core.crawl.job import JobConfig
from gossamer.settings import Settings
from tests.commands import complains

URL = "http://a.test/"


@pytest.mark.parametrize("command", ["crawl", "run"])
@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        ([], "nothing to crawl"),
        (["not a url"], "'not a url' is not a web address"),
        ([URL, "--max-pages", "0"], "max_pages"),
        ([URL, "--include", "("], "("),
    ],
)
def test_a_mistake_is_named_and_nothing_is_written(tmp_path, command, argv, complaint):
    data = tmp_path / "data"

    assert complaint in complains(command, *argv, "--data", data)

    assert not data.exists()


def test_a_second_job_waits_for_the_first(tmp_path):
    settings = Settings(data=str(tmp_path / "data"))
    home = homes.open_home(settings)
    home.jobs.configure("first", JobConfig(seeds=[URL]), 1.0)
    home.close()

    complaint = complains("crawl", URL, "--data", settings.data, "--job", "second")

    assert "job 'first' is not finished; resume it with --job first" in complaint
