"""Does a shell complete what the parsers take?"""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest

from gossamer.entrypoints.cli.completion import SHELLS, arguments_of
from gossamer.entrypoints.cli.main import COMMANDS, parser_of
from tests.commands import run_here, said

# line before the cursor -> what is offered there, or a part of it
CASES = {
    "gossamer cr": ["crawl"],
    "gossamer --st": ["--stack"],
    "gossamer --stack name sta": ["stats"],
    "gossamer crawl --max-p": ["--max-pages"],
    "gossamer crawl --max-pages ": [],
    "gossamer export --what ": ["urls", "documents", "edges", "table", "warc"],
    "gossamer export --what = ed": ["edges"],  # as bash splits --what=ed
    "gossamer completion ": ["bash", "zsh", "fish"],
    "gossamer crawl --config jo": ["job file.toml"],
    "gossamer crawl --data ": ["kept here"],
    "gossamer settings jo": ["job file.toml"],
    "gossamer eval ke": ["kept here"],
    "gossamer stats jo": [],
    "gossamer pause --js": ["--json"],
}


@pytest.fixture(scope="module")
def offered(tmp_path_factory) -> dict[str, list[str]]:
    """What bash offers in each case, from one bash."""
    folder = tmp_path_factory.mktemp("completing")
    (folder / "job file.toml").touch()
    (folder / "kept here").mkdir()
    lines = [SHELLS["bash"]()]
    for case in CASES:
        words = case.split(" ")
        lines += [
            f"COMP_WORDS=({shlex.join(words)}) COMP_CWORD={len(words) - 1}",
            "_gossamer",
            r"printf '%s\t' ${COMPREPLY[@]+" + '"${COMPREPLY[@]}"' + "}; echo",
        ]
    done = subprocess.run(
        ["bash", "--norc", "-u", "-c", "\n".join(lines)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    said = [line.rstrip("\t") for line in done.stdout.splitlines()]
    return {case: line.split("\t") if line else [] for case, line in zip(CASES, said, strict=True)}


@pytest.mark.parametrize("case", CASES)
def test_bash_offers_what_fits(offered, case):
    assert offered[case] == CASES[case]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_flag_is_in_the_script(shell):
    script = said("completion", shell)["script"]

    for command in COMMANDS.values():
        assert command.name in script
        for argument in arguments_of(parser_of(command)):
            for name in argument.names:
                assert (f"-l {name[2:]} " if shell == "fish" and name[1] == "-" else name) in script


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_shell_can_read_the_script(shell):
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")

    done = subprocess.run(
        [found, "-n"], input=SHELLS[shell](), capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_an_unknown_shell_gets_the_list():
    done = run_here("completion", "tcsh")

    assert done.returncode == 2
    assert "bash" in done.stderr
