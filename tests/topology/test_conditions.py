"""Is the template whole whatever parameters are on? No emulator takes all that they add."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from scripts.release import released
from tests.cloud.conditions import settled
from tests.topology.template import load
from tests.topology.test_release import SAM, cloudformation, needs_sam

if TYPE_CHECKING:
    from collections.abc import Iterator

TEMPLATE = load()
# What turns each condition on; together they turn on all.
ON = {
    "prod": {"Stage": "prod"},
    "mail": {"AlarmEmail": "who@example.org"},
    "alarm": {"OverBudget": "alarm"},
    "no budget": {"DailyBudget": "0"},
    "dashboard": {"ShowDashboard": "true"},
    "access log": {"AccessLog": "true"},
    "traces": {"Tracing": "Active"},
    "budget": {"AlarmEmail": "who@example.org", "MonthlyBudget": "50"},
    "waf": {"WafRate": "1000"},
    "reserved": {"ApiReserved": "10"},
    "cloudfront": {"CloudFront": "true"},
    "domain": {
        "CloudFront": "true",
        "Domain": "search.example.org",
        "Certificate": "arn:aws:acm:us-east-1:123456789012:certificate/x",
    },
    "egress": {"StaticEgress": "true"},
    "read keys": {"ReadKeys": "true"},
    "gradual": {"Release": "gradual"},
    "snapshots": {"SnapStart": "true"},
    "expiry": {"WarcDays": "90"},
    "spark": {"SparkRank": "true"},
    "signing": {"SigningKeySecret": "key", "SignatureAgent": "https://search.example.org"},
    "recrawl": {"RecrawlBudget": "1000"},
    "intel": {"Architecture": "x86_64"},
}
ALL = {name: value for given in ON.values() for name, value in given.items()}
# Each alone, and all but one: a resource that needs another one is in one of these without it.
COMBINATIONS = {"nothing": {}, "everything": ALL}
COMBINATIONS |= {f"only {name}": given for name, given in ON.items()}
COMBINATIONS |= {
    f"all but {name}": {key: value for key, value in ALL.items() if key not in given}
    for name, given in ON.items()
}
PSEUDO = re.compile(r"AWS::\w+")


def test_every_condition_is_on_in_one_combination_and_off_in_another():
    asked = {"Parameters": TEMPLATE["Parameters"], "Conditions": TEMPLATE["Conditions"]}
    names = TEMPLATE["Conditions"]
    probes = {name: {"Type": "probe", "Condition": name} for name in names}

    seen = [
        set(settled({**asked, "Resources": probes}, g)["Resources"]) for g in COMBINATIONS.values()
    ]

    assert set.union(*seen) == set(names)
    assert set.intersection(*seen) == set()


@pytest.mark.parametrize("given", COMBINATIONS.values(), ids=list(COMBINATIONS))
def test_what_is_there_names_only_what_is_there(given):
    made = settled(TEMPLATE, given)
    known = set(made["Resources"]) | set(TEMPLATE["Parameters"])
    # SAM makes these of a function's events.
    known |= {
        f"{name}{event}"
        for name, each in made["Resources"].items()
        for event in each.get("Properties", {}).get("Events", {})
    }

    for part in ("Resources", "Outputs"):
        for name, each in made[part].items():
            missing = {to for to in named_in(each) if not PSEUDO.fullmatch(to)} - known
            assert not missing, (name, missing)


def named_in(value: Any) -> Iterator[str]:
    """The logical names that a value refers to, whatever it holds."""
    yield from named_by(value)
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in held:
        yield from named_in(each)


def named_by(value: Any) -> list[str]:
    """Those that it refers to itself; SAM has Api.Stage."""
    match value:
        case {"Ref": str(name)} | {"Fn::GetAtt": str(name)}:
            return [name.partition(".")[0]]
        case {"Fn::Sub": str(text)}:
            return in_text(text)
        case {"Fn::Sub": [str(text), dict(own)]}:
            return [name for name in in_text(text) if name not in own]
        case {"DependsOn": str(name)}:
            return [name]
        case {"DependsOn": [*names]}:
            return names
    return []


def in_text(text: str) -> list[str]:
    return [name.partition(".")[0] for name in re.findall(r"\$\{([\w:.]+)\}", text)]


@needs_sam
def test_a_release_with_everything_is_valid_cloudformation(tmp_path):
    """By the specification of every property that cfn-lint has; it looks at all conditions."""
    path = tmp_path / "template.json"
    path.write_text(json.dumps(cloudformation(released(TEMPLATE, ALL), **ALL)))

    done = subprocess.run([SAM / "bin" / "cfn-lint", path], capture_output=True, text=True)

    assert done.returncode == 0, done.stdout[-3000:]
