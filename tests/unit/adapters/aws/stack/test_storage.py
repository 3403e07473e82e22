"""Is all that a stack stores counted, as it is paid for?"""

from __future__ import annotations

from typing import Any

from gossamer.adapters.aws.dynamodb.models import MODELS
from gossamer.adapters.aws.stack.backups import RECOVERABLE


def test_tables_count_with_their_indexes_and_those_whose_past_is_kept_once_more(home, monkeypatch):
    """moto counts no bytes of tables."""
    ask = home.clients.call

    def sized(service: str, operation: str, on: str, **given: Any) -> Any:
        said = ask(service, operation, on, **given)
        if operation == "DescribeTable":
            said["Table"]["TableSizeBytes"] = 1000
            for index in said["Table"].get("GlobalSecondaryIndexes", ()):
                index["IndexSizeBytes"] = 100
        return said

    monkeypatch.setattr(home.clients, "call", sized)
    assert home.pages  # makes the bucket

    kept = home.stored()

    assert kept.dynamodb == 1000 * len(MODELS) + 100 * 3  # by_due, by_state, by_tfidf
    assert kept.recoverable == 1000 * len(RECOVERABLE) == 6000
