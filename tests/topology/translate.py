"""Turn a SAM template, given as JSON, into CloudFormation; runs in the venv of SAM."""

import json
import logging
import sys

from samtranslator.translator.transform import transform  # type: ignore[import-not-found]


class _Policies:
    """Managed policies by their names; no function of ours has one."""

    def load(self) -> dict[str, str]:
        return {}


logging.disable()
given = json.load(sys.stdin)
json.dump(transform(given["template"], given["parameters"], _Policies()), sys.stdout)
