"""A function imports what Lambda's runtime provides, and nothing else of the emulator's."""

from __future__ import annotations

import subprocess
import sys

from localstack_host.runtime_packages import link_packages


def test_a_package_is_linked_with_all_it_needs(tmp_path):
    folder = link_packages(tmp_path / "runtime", ["hypothesis"])

    names = {entry.name for entry in folder.iterdir()}

    assert {"hypothesis", "sortedcontainers"} <= names
    assert "pytest" not in names


def test_linking_twice_changes_nothing(tmp_path):
    once = sorted(link_packages(tmp_path, ["hypothesis"]).iterdir())

    assert sorted(link_packages(tmp_path, ["hypothesis"]).iterdir()) == once


def test_a_package_that_is_not_installed_is_left_out(tmp_path):
    assert not list(link_packages(tmp_path / "runtime", ["no-such-package"]).iterdir())


def test_without_site_packages_only_the_links_can_be_imported(tmp_path):
    folder = link_packages(tmp_path / "runtime", ["sortedcontainers"])

    def can_import(name: str) -> bool:
        command = [sys.executable, "-S", "-c", f"import {name}"]
        environment = {"PYTHONPATH": str(folder)}
        return subprocess.run(command, env=environment, capture_output=True).returncode == 0

    assert can_import("sortedcontainers")
    assert not can_import("pytest")
