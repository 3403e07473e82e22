"""Does `gossamer --stack NAME crawl` seed a stack?"""

from __future__ import annotations

import pytest

from gossamer.entrypoints.cli.templates.keeping import templates_in
from gossamer.messages import LinksFound, decode
from tests.unit.entrypoints.moto_stack import CONTACT, STACK, add_url, home, job, result, run

PAGE = "http://a.test/"


def sent() -> list[str]:
    messages = [decode(d.body) for d in home().queues.receive("links", 100, 0.0)]
    return [link.url for m in messages if isinstance(m, LinksFound) for link in m.links]


def test_seeds_begin_the_default_job_in_the_name_of_the_stack(capsys, stack):
    done = result(capsys, "crawl", "a.test", "--max-pages", "7")

    record = job()
    assert (done["stack"], done["job"], done["state"]) == (STACK, "crawl", "running")
    assert done["new"] == sent() == ["https://a.test/"]
    assert (record.pages_left, record.config.contact) == (7, CONTACT)


def test_a_job_file_is_read_and_flags_override_it(capsys, stack, tmp_path):
    file = tmp_path / "job.toml"
    file.write_text('seeds = ["http://a.test/"]\nmax_pages = 5\ndelay = 2.0\n')

    done = result(capsys, "crawl", "--config", str(file), "--max-pages", "9", "--job", "docs")

    config = job("docs").config
    assert (done["job"], done["new"]) == ("docs", [PAGE])
    assert (config.max_pages, config.delay) == (9, 2.0)


def test_templates_beside_the_job_file_and_named_ones_are_kept(capsys, stack, tmp_path):
    file, folder = tmp_path / "job.toml", tmp_path / "templates"
    file.write_text('seeds = ["http://a.test/"]\n')
    folder.mkdir()
    for name, path in (("beside", folder), ("named", tmp_path)):
        (path / f"{name}.toml").write_text(
            f'match = "{name}.test/*"\n[fields.{name}_price]\nselect = "b"\ntype = "money"\n'
            "sort = true\n"
        )

    result(capsys, "crawl", "--config", str(file), "--template", str(tmp_path / "named.toml"))

    assert [each.name for each in templates_in(home())] == ["beside", "named"]
    assert {"beside_price", "named_price"} <= {*home().settings.get().columns}


def test_a_template_that_cannot_be_used_is_exit_2_and_nothing_is_sent(capsys, stack, tmp_path):
    file = tmp_path / "shop.toml"
    file.write_text('match = "a.test/*"\n[fields.price]\nselect = "b["\n')

    code, out, err = run(capsys, "--stack", STACK, "crawl", PAGE, "--template", str(file))

    assert (code, out, sent()) == (2, "", [])
    assert "shop.toml: fields.price.select" in err
    assert templates_in(home()) == ()


def test_what_is_known_is_not_sent_again_and_the_text_says_so(capsys, stack):
    add_url(PAGE)

    code, out, _ = run(capsys, "--stack", STACK, "crawl", PAGE, "http://a.test/x")

    assert (code, sent()) == (0, ["http://a.test/x"])
    assert out == f"1 new, 1 already known, 0 refused; job 'crawl' of {STACK} is running\n"


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        ([], "nothing to crawl"),
        ([PAGE, "not a url"], "'not a url' is not a web address"),
        ([PAGE, "--refresh"], "--refresh, --no-index and --workers are for this machine"),
        ([PAGE, "--workers", "2"], "--refresh, --no-index and --workers are for this machine"),
    ],
)
def test_what_makes_no_sense_is_exit_2_and_nothing_is_sent(capsys, stack, argv, complaint):
    code, out, err = run(capsys, "--stack", STACK, "crawl", *argv)

    assert (code, out, sent()) == (2, "", [])
    assert complaint in err
