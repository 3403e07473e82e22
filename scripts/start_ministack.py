"""How is MiniStack started? With two mistakes corrected; by its own interpreter, not by ours.

A number that comes from a template's parameter arrives as text. MiniStack 1.5.33 compares the
MaximumConcurrency of a mapping as it came, fails, and from then on reads no queue at all. And it
asks policies for sqs:SendMessageBatch, a permission that AWS does not have: there, who may send a
message may send ten.
"""

from __future__ import annotations

from typing import Any

from ministack import app
from ministack.core import iam_actions
from ministack.services import lambda_svc

concurrency_of = lambda_svc._sqs_esm_concurrency


def with_numbers(mapping: dict[str, Any], *more: Any) -> int:
    """The events that a mapping hands out at once, with its own numbers made numbers."""
    scaling = mapping.get("ScalingConfig") or {}
    mapping["ScalingConfig"] = {name: int(value) for name, value in scaling.items()}
    mapping["BatchSize"] = int(mapping.get("BatchSize", 10))
    return int(concurrency_of(mapping, *more))


action_of = iam_actions.extract_iam_action


def as_aws_asks(*request: Any) -> str | None:
    """The permission that a request needs; batches of SQS need that of a single message."""
    action: str | None = action_of(*request)
    is_batch = action is not None and action.startswith("sqs:") and action.endswith("Batch")
    return action.removesuffix("Batch") if action is not None and is_batch else action


if __name__ == "__main__":
    iam_actions.extract_iam_action = as_aws_asks
    lambda_svc._sqs_esm_concurrency = with_numbers
    app.main()
