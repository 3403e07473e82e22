"""Does `gossamer run` crawl, index and rank in one go?"""

from __future__ import annotations

from tests.commands import complains, run_here, said

NOWHERE = "http://127.0.0.1:9/"  # the port "discard": nothing listens there


def test_a_crawl_that_finds_nothing_fails_with_the_reason(tmp_path):
    data = tmp_path / "data"

    flags = ("--allow-private", "--retries", "0", "--delay", "0", "--workers", "1", "--quiet")
    done = run_here("run", NOWHERE, *flags, "--no-serve", "--data", data)

    assert done.returncode == 1
    assert done.stderr.startswith(f"gossamer: nothing could be crawled at {NOWHERE}: ")
    assert "can be searched" not in done.stdout
    assert said("stats", "--data", data)["state"] == "finished"


def test_on_a_stack_it_says_what_to_do_instead():
    assert "gossamer --stack NAME crawl" in complains("run", NOWHERE, "--stack", "any")
