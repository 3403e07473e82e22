"""Is a flag that an action of `gossamer template` has no use for refused?"""

from __future__ import annotations

import pytest

from tests.commands import complains


@pytest.mark.parametrize(
    ("line", "flag", "actions"),
    [
        ("list --page http://a.test/ --value price=1 --apply", "--page", "learn"),
        ("list --value price=1", "--value", "learn"),
        ("show shop --not x", "--not", "learn"),
        ("list --csv nothing.csv", "--csv", "learn"),
        ("apply shop --list http://a.test/", "--list", "learn"),
        ("list --apply", "--apply", "heal"),
        ("add shop.toml --apply", "--apply", "heal"),
        ("learn shop --apply", "--apply", "heal"),
        ("new http://a.test/ --match x", "--match", "import"),
        ("learn shop --into folder", "--into", "import and heal"),
        ("health --allow-private", "--allow-private", "new and test and learn"),
    ],
)
def test_a_flag_that_would_be_ignored_is_refused(tmp_path, monkeypatch, line, flag, actions):
    monkeypatch.chdir(tmp_path)

    complaint = complains("template", *line.split())

    action = line.partition(" ")[0]
    expected = f"`gossamer template {action}` takes no {flag}; it goes with {actions}"
    assert complaint == f"gossamer: {expected}\n"
    assert list(tmp_path.iterdir()) == []
