"""Do URLs reach a deployed crawl, and does a person hear what became of each?"""

from __future__ import annotations

import gzip
import io
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from gossamer.core.crawl.url_state import State
from gossamer.messages import LinksFound, decode
from scripts.enqueue import main
from tests.unit.entrypoints.moto_stack import CONTACT, STACK, add_url, aws, deploy, home, job

PAGE = "http://a.test/"
SITEMAP = b"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>http://a.test/1</loc></url><url><loc>http://a.test/2</loc></url></urlset>"""
INDEX = b"<sitemapindex><sitemap><loc>http://a.test/s1.xml</loc></sitemap></sitemapindex>"


@pytest.fixture
def stack():
    with aws():
        deploy()
        yield


@pytest.fixture
def site():
    """A server whose answers are its paths."""
    answers = {
        "/sitemap.xml.gz": gzip.compress(SITEMAP),
        "/index.xml": INDEX,
        "/empty.xml": b"<x/>",
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = answers.get(self.path)
            self.send_response(200 if body else 301)
            if body is None:
                self.send_header("Location", "/sitemap.xml.gz")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def enqueue(capsys, *argv):
    assert main(["--stack", STACK, *argv, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def refusal(capsys, *argv):
    """The one line of a refused command line."""
    assert main(["--stack", STACK, *argv]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def sent():
    messages = [decode(d.body) for d in home().queues.receive("links", 100, 0.0)]
    found = [message for message in messages if isinstance(message, LinksFound)]
    assert all(message.via == "seed" for message in found)
    return [link.url for message in found for link in message.links]


def test_a_first_url_begins_the_job_in_the_name_of_the_stack(capsys, stack):
    done = enqueue(capsys, PAGE)

    record = job()
    assert (done["new"], done["known"], done["refused"]) == ([PAGE], [], [])
    assert sent() == [PAGE]
    assert (record.state, record.config.contact) == ("running", CONTACT)
    assert "a.test" in record.config.scope.hosts


def test_what_is_known_is_not_sent_again(capsys, stack):
    add_url(PAGE)

    done = enqueue(capsys, PAGE, "http://a.test/x")

    assert (done["known"], done["new"]) == ([PAGE], ["http://a.test/x"])
    assert sent() == ["http://a.test/x"]


def test_a_bad_url_on_the_command_line_is_exit_2_and_nothing_is_sent(capsys, stack):
    err = refusal(capsys, PAGE, "not a url")

    assert "'not a url' is not a web address" in err
    assert sent() == []


def test_no_such_stack_is_exit_2(capsys):
    with aws():
        err = refusal(capsys, PAGE)

    assert err == f"enqueue: there is no stack {STACK!r} in us-east-1\n"


def test_nothing_to_enqueue_is_exit_2(capsys, stack):
    assert "nothing to crawl" in refusal(capsys)


def test_a_bad_line_of_a_file_is_refused_and_the_rest_goes_on(capsys, stack, tmp_path):
    file = tmp_path / "urls.txt"
    file.write_text(f"# seeds\n\n{PAGE}\nftp://a.test/\n  http://a.test/x  \n")

    done = enqueue(capsys, "-f", str(file))

    assert done["new"] == [PAGE, "http://a.test/x"]
    assert done["refused"] == [{"url": "ftp://a.test/", "reason": "it is not a web address"}]


def test_urls_come_from_standard_input(capsys, stack, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PAGE}\n"))

    assert enqueue(capsys, "-")["new"] == [PAGE]


def test_a_file_that_is_not_there_is_exit_2(capsys, stack, tmp_path):
    assert "No such file" in refusal(capsys, "-f", str(tmp_path / "none"))


def test_a_sitemap_file_gives_its_urls(capsys, stack, tmp_path):
    file = tmp_path / "sitemap.xml"
    file.write_bytes(SITEMAP)

    assert enqueue(capsys, "--sitemap", str(file))["new"] == ["http://a.test/1", "http://a.test/2"]


def test_a_sitemap_is_fetched_and_unpacked(capsys, stack, site):
    done = enqueue(capsys, "--sitemap", f"{site}/sitemap.xml.gz", "--allow-private")

    assert done["new"] == ["http://a.test/1", "http://a.test/2"]


def test_a_sitemap_on_a_private_address_is_not_asked_for(capsys, stack, site):
    assert "--allow-private" in refusal(capsys, "--sitemap", f"{site}/sitemap.xml.gz")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/index.xml", "is an index of 1 sitemaps; give one of them, such as http://a.test/s1.xml"),
        ("/empty.xml", "is not a sitemap"),
        ("/moved.xml", "code 301, which leads to /sitemap.xml.gz"),
    ],
)
def test_a_sitemap_that_names_no_pages_says_why(capsys, stack, site, path, why):
    assert why in refusal(capsys, "--sitemap", f"{site}{path}", "--allow-private")


def test_what_the_rules_of_the_job_forbid_is_refused_with_the_reason(capsys, stack):
    done = enqueue(capsys, PAGE, "http://a.test/private/x", "--exclude", "/private/")

    assert done["new"] == [PAGE]
    assert done["refused"] == [
        {"url": "http://a.test/private/x", "reason": "matches an exclude pattern of the job"}
    ]


def test_flags_change_one_thing_of_a_job_and_leave_the_rest(capsys, stack):
    enqueue(capsys, PAGE, "--delay", "3", "--max-pages", "5")

    enqueue(capsys, "http://b.test/", "--max-pages", "9")

    config = job().config
    assert (config.delay, config.max_pages) == (3.0, 9)
    assert {"a.test", "b.test"} <= set(config.scope.hosts)


def test_a_job_file_describes_the_job(capsys, stack, tmp_path):
    file = tmp_path / "job.toml"
    file.write_text(f'seeds = ["{PAGE}"]\nmax_pages = 7\n')

    done = enqueue(capsys, "--config", str(file), "--job", "docs")

    assert (done["job"], done["new"]) == ("docs", [PAGE])
    assert job("docs").config.max_pages == 7


def test_a_mistake_in_a_flag_is_exit_2(capsys, stack):
    assert "max_pages" in refusal(capsys, PAGE, "--max-pages", "0")


def test_higher_limits_take_up_what_the_lower_ones_excluded(capsys, stack):
    enqueue(capsys, PAGE, "--max-pages", "1")
    add_url("http://a.test/x", State.EXCLUDED, "max-pages")
    home().jobs.set_state("crawl", "finished", "max-pages")

    done = enqueue(capsys, "--max-pages", "10")

    assert (done["reopened"], done["state"]) == (1, "running")
    assert home().queues.depth()["frontier"] == 1


def test_seeds_for_a_paused_job_leave_it_paused(capsys, stack):
    enqueue(capsys, PAGE)
    home().jobs.set_state("crawl", "paused")

    assert enqueue(capsys, "http://a.test/x")["state"] == "paused"


def test_a_person_reads_counts_and_reasons(capsys, stack, tmp_path):
    file = tmp_path / "urls.txt"
    file.write_text("\n".join([PAGE, *(f"ftp://a.test/{n}" for n in range(25))]))

    assert main(["--stack", STACK, "-f", str(file)]) == 0

    out = capsys.readouterr().out
    assert out.startswith(
        "1 new, 0 already known, 25 refused; job 'crawl' of crawl-test is running"
    )
    assert "refused: ftp://a.test/0: it is not a web address" in out
    assert "and 5 more" in out
