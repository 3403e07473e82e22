"""Starting emulators: what they are told, and what is told to those who use them."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import emulator, venvs
from scripts.emulator import Emulator, localstack_settings, ministack_settings


@pytest.fixture
def folder(tmp_path):
    """A repository with one lock and one package of its own."""
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "tool.txt").write_text("tool==1\n")
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "code.py").write_text("A = 1\n")
    return tmp_path


@pytest.mark.parametrize("settings", [ministack_settings, localstack_settings])
def test_an_emulator_listens_on_loopback_and_keeps_its_files_together(settings):
    told = settings(4599, Path("/somewhere"))

    assert any(value.endswith("4599") for value in told.values())
    assert all("0.0.0.0" not in value for value in told.values())
    assert told["TMPDIR"] == "/somewhere"


def test_a_user_of_the_emulator_learns_all_that_boto3_needs():
    plain = Emulator("localstack", "http://127.0.0.1:1")
    over_tls = Emulator("ministack", "https://127.0.0.1:1", certificate="/a/server.crt")

    assert plain.environment == {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    assert over_tls.environment["AWS_CA_BUNDLE"] == "/a/server.crt"


def test_where_nothing_listens_nothing_is_healthy():
    assert not Emulator("localstack", f"http://127.0.0.1:{emulator.free_port()}").is_healthy()


def test_an_unknown_emulator_is_wrong_usage(capsys):
    with pytest.raises(SystemExit) as exit_:
        emulator.main(["moon"])

    assert exit_.value.code == 2
    assert "invalid choice: 'moon'" in capsys.readouterr().err


def test_a_venv_is_made_once_and_again_when_its_lock_or_our_package_changes(folder, monkeypatch):
    made: list[str] = []

    def install(name: str, target: Path) -> None:
        target.mkdir(exist_ok=True)
        made.append(name)

    monkeypatch.setattr(venvs, "ROOT", folder)
    monkeypatch.setattr(venvs, "OURS", {"tool": folder / "ours"})
    monkeypatch.setattr(venvs, "_install", install)

    assert venvs.venv("tool") == venvs.venv("tool") == folder / ".venv-tool" / "bin"
    assert made == ["tool"]
    (folder / "requirements" / "tool.txt").write_text("tool==2\n")
    venvs.venv("tool")
    (folder / "ours" / "code.py").write_text("A = 2\n")
    venvs.venv("tool")
    assert made == ["tool"] * 3
