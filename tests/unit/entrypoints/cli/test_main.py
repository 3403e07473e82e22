"""Does `gossamer` find the command, and the stack it is for?"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from gossamer import homes
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.main import COMMANDS, module_of, parser, parser_of
from gossamer.settings import Settings
from tests.indexing import index_home
from tests.unit.entrypoints.moto_stack import STACK, begin_job, run


@pytest.mark.parametrize("name", [c.name for c in COMMANDS.values() if c.not_on_stack])
def test_a_command_without_sense_on_a_stack_says_what_to_do_instead(capsys, name):
    more = {"completion": ["bash"], "run": ["http://a.test/"], "eval": ["folder"]}
    code, out, err = run(capsys, name, "--stack", STACK, *more.get(name, []))

    assert (code, out) == (2, "")
    instead = COMMANDS[name].not_on_stack
    assert err == f"gossamer: `gossamer {name}` does not work on a stack: {instead}\n"


@pytest.mark.parametrize("name", ["cost", "redrive", "purge", "restore"])
def test_a_command_only_for_stacks_says_so(capsys, name):
    code, _, err = run(capsys, name)

    assert code == 2
    assert f"`gossamer {name}` needs --stack NAME" in err


@pytest.mark.parametrize("command", COMMANDS.values(), ids=list(COMMANDS))
def test_every_command_has_what_its_line_promises(command):
    module = module_of(command)

    assert hasattr(module, "add_arguments")
    assert hasattr(module, "run") == (not command.only_on_stack)
    assert hasattr(module, "run_on_stack") == (not command.not_on_stack)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_explains_itself(capsys, name):
    with pytest.raises(SystemExit) as ended:
        run(capsys, name, "--help")

    assert ended.value.code == 0
    assert f"usage: gossamer {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "flag", "hint"),
    [
        ("crawl --dely 3 http://a.test/", "--dely", "did you mean --delay?"),
        ("search silk --limitt=3", "--limitt", "did you mean --limit?"),
        ("stats --colour", "--colour", "`gossamer stats --help` lists all"),
    ],
)
def test_a_flag_that_does_not_exist_is_guessed(capsys, line, flag, hint):
    with pytest.raises(SystemExit) as ended:
        run(capsys, *line.split())

    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said == f"gossamer: `gossamer {line.split()[0]}` has no flag {flag}; {hint}\n"


LISTS = [
    (command.name, action.dest)
    for command in COMMANDS.values()
    for action in parser_of(command)._positionals._group_actions
    if action.nargs in ("*", "+")
]


@pytest.mark.parametrize(("name", "dest"), LISTS, ids=[name for name, _ in LISTS])
def test_the_words_of_a_command_may_stand_on_both_sides_of_its_flags(name, dest):
    words = ["show" if name == "template" else "a", "b", "--data", "here", "c", "--json", "d"]

    found = parser().parse_args([name, *words])

    assert (found.data, found.json) == ("here", True)
    assert getattr(found, dest)[-3:] == ["b", "c", "d"]


def test_a_flag_with_one_minus_is_no_word_but_of_a_query(capsys):
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(["crawl", "http://a.test/", "-x"])

    assert ended.value.code == 2
    assert "unrecognized arguments: -x" in capsys.readouterr().err
    assert parser().parse_args(["search", "silk", "-x"]).query == ["silk", " -x"]


HEAVY = "boto3", "botocore", "numpy", "lxml", "sqlite3", "gossamer.homes"


def test_help_imports_no_command():
    program = (
        "import sys; from gossamer.entrypoints.cli.main import parser; parser().format_help();"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stdout == "[]\n", done.stderr


@pytest.mark.parametrize("argv", [["--stack", STACK, "stats"], ["stats", "--stack", STACK]])
def test_the_stack_is_named_before_or_after_the_command(capsys, stack, argv):
    begin_job()

    assert run(capsys, *argv)[0] == 0


def test_without_a_command_there_is_help(capsys):
    code, out, err = run(capsys)

    assert (code, err) == (0, "")
    assert out.startswith("usage: gossamer")
    assert "explain-url" in out


@pytest.mark.parametrize("before", [(), ("--stack", STACK), (f"--stack={STACK}",)])
def test_a_command_that_was_mistyped_is_guessed(capsys, before):
    code, out, err = run(capsys, *before, "serach", "silk")

    assert (code, out) == (2, "")
    assert err == "gossamer: there is no command 'serach'; did you mean `gossamer search`?\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--data x stats", "`gossamer stats --data …`"),
        ("--data=x search silk", "`gossamer search --data=x …`"),
        ("--json", "`gossamer COMMAND --json …`"),
    ],
)
def test_a_flag_before_the_command_is_sent_behind_it(capsys, line, said):
    code, _, err = run(capsys, *line.split())

    assert (code, err) == (2, f"gossamer: flags stand behind the command: {said}\n")


def test_a_word_that_is_like_no_command_gets_the_list(capsys):
    assert "`gossamer --help` lists all" in run(capsys, "xyzzy")[2]


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_what_a_terminal_cannot_show_is_no_traceback(tmp_path, encoding):
    home = homes.open_home(Settings(data=str(tmp_path)))
    page = Document(
        url="http://a.test/%E6%9D%B1", title="\u6771\u4eac \U0001f578 caf\xe9", text="silk"
    )
    home.documents.put(url_id(page.url), [page], 1.0)
    index_home(home)
    home.close()

    def ask(*words):
        command = [sys.executable, "-m", "gossamer.entrypoints.cli.main", *words]
        there = {**os.environ, "PYTHONIOENCODING": encoding}
        done = subprocess.run([*command, "--data", tmp_path], capture_output=True, env=there)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode(encoding)

    assert "1 result in " in ask("search", "silk")
    assert json.loads(ask("search", "silk", "--json"))["hits"][0]["title"] == page.title
    line = ask("export", "--what", "documents", "--format", "jsonl")
    assert json.loads(line)["title"] == page.title
    assert "silk" in ask("export", "--what", "documents")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("what", ["urls", "table"])
def test_a_reader_that_has_seen_enough_is_no_failure(tmp_path, what, unbuffered):
    settings = Settings(data=str(tmp_path))
    home = homes.open_home(settings)
    home.documents.put(url_id("a:"), [Document(url="a:", title="a", values={"price": 1.0})], 1.0)
    home.commit()
    home.close()
    reader, writer = os.pipe()
    os.close(reader)  # as `| head` does once it has its lines
    command = [sys.executable, "-m", "gossamer.entrypoints.cli.main", "export", "--what", what]

    with os.fdopen(writer, "wb") as out:
        done = subprocess.run(
            [*command, "--data", settings.data],
            stdout=out,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        )

    assert (done.returncode, done.stderr) == (0, b"")
