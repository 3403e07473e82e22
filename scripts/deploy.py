"""Deploy what was built: `sam deploy` that keeps the parameters of a stack.

    python -m scripts.deploy dev Contact=https://example.org/about-our-crawler
    python -m scripts.deploy prod FetchConcurrency=50

The profile of samconfig.toml is for the first deployment. Later ones keep what the stack has, but
for what is given here and for parameters that the template has gained since. --profile applies the
profile again. A stack of `prod` cannot be deleted until its termination protection is taken away.
Concurrency is lowered to what the account allows, with a warning (scripts/account_limits.py).
What SAM cannot make conditional is added to the built template (scripts/release.py).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.adapters.aws.clients import Clients
from gossamer.core.errors import MissingResource
from scripts import release
from scripts.account_limits import fit_to_account
from scripts.venvs import venv

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / ".aws-sam" / "build" / "template.yaml"


def main(argv: Sequence[str] | None = None) -> int:
    """Deploy; the exit code of SAM."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stage", help="a profile of samconfig.toml")
    parser.add_argument("given", nargs="*", help="parameters, as Name=Value")
    parser.add_argument("--profile", action="store_true", help="apply the whole profile again")
    asked = parser.parse_args(argv)
    profile = profile_of(asked.stage)
    clients = Clients()
    known = {} if asked.profile else parameters_of(clients, profile["stack_name"])
    chosen = overrides(_pairs(profile["parameter_overrides"]), known, _pairs(asked.given))
    limits = fit_to_account(clients, chosen, known, _pairs(asked.given))
    chosen |= limits.changed
    print(*limits.warnings, sep="\n", end="\n" if limits.warnings else "", file=sys.stderr)
    built = release.write(BUILT, known | chosen)
    code = deploy(asked.stage, chosen, built)
    if code == 0 and asked.stage == "prod":
        protect(clients, profile["stack_name"])
    return code


def profile_of(stage: str) -> dict[str, Any]:
    """What samconfig.toml says about a stage."""
    config = tomllib.loads((ROOT / "samconfig.toml").read_text())
    found: dict[str, Any] = config[stage]["deploy"]["parameters"]
    return found


def protect(clients: Clients, stack: str) -> None:
    """Let a stack refuse to be deleted."""
    how = {"StackName": stack, "EnableTerminationProtection": True}
    clients.call("cloudformation", "UpdateTerminationProtection", f"stack {stack}", **how)


def parameters_of(clients: Clients, stack: str) -> dict[str, str]:
    """The parameters of a stack that is there; none of one that is not."""
    try:
        answer = clients.call("cloudformation", "DescribeStacks", f"stack {stack}", StackName=stack)
    except MissingResource:
        return {}
    (found,) = answer["Stacks"]
    return {each["ParameterKey"]: each["ParameterValue"] for each in found.get("Parameters", ())}


def overrides(
    profile: Mapping[str, str], known: Mapping[str, str], given: Mapping[str, str]
) -> dict[str, str]:
    """What SAM is told; it keeps the previous value of all else."""
    return {n: value for n, value in profile.items() if n not in known} | dict(given)


def deploy(stage: str, chosen: Mapping[str, str], built: Path) -> int:
    """`sam deploy`, which forgets a profile's parameters when any are given."""
    command = [str(venv("sam") / "sam"), "deploy", "--config-env", stage]
    command += ["--template-file", str(built)]
    # SAM takes an option without values for a mistake, and Stage never changes.
    named = chosen or {"Stage": stage}
    command += ["--parameter-overrides", *(f"{name}={value}" for name, value in named.items())]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def _pairs(given: Sequence[str]) -> dict[str, str]:
    return dict(each.split("=", 1) for each in given)


if __name__ == "__main__":
    sys.exit(main())
