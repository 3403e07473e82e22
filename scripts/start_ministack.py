"""Start MiniStack with two bugs fixed. Run by its own interpreter.

MiniStack 1.5.33 does not convert numbers from template parameters, which arrive as strings: it
fails on the MaximumConcurrency of a mapping and then polls no queue at all. And it checks
the permission sqs:SendMessageBatch, which AWS does not have: there sqs:SendMessage covers batches.
"""

from __future__ import annotations

from typing import Any

from ministack import app
from ministack.core import iam_actions
from ministack.services import lambda_svc

concurrency_of = lambda_svc._sqs_esm_concurrency


def numeric_concurrency(mapping: dict[str, Any], *more: Any) -> int:
    """MiniStack's concurrency of a mapping, after its values are converted to numbers."""
    scaling = mapping.get("ScalingConfig") or {}
    mapping["ScalingConfig"] = {name: int(value) for name, value in scaling.items()}
    mapping["BatchSize"] = int(mapping.get("BatchSize", 10))
    return int(concurrency_of(mapping, *more))


action_of = iam_actions.extract_iam_action


def permission_like_aws(*request: Any) -> str | None:
    """The permission that a request needs; an SQS batch needs that of one message."""
    action: str | None = action_of(*request)
    is_batch = action is not None and action.startswith("sqs:") and action.endswith("Batch")
    return action.removesuffix("Batch") if action is not None and is_batch else action


if __name__ == "__main__":
    iam_actions.extract_iam_action = permission_like_aws
    lambda_svc._sqs_esm_concurrency = numeric_concurrency
    app.main()
