"""Backups over DynamoDB's point-in-time recovery and the versions of a bucket.

DynamoDB restores into a new table only, and the names of a stack's tables are fixed. So items are
copied back from the new table into the stack's own, which keeps its name, policies, time to live
and alarms. Reading costs much less than writing: both sides are read, and what differs is written.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from gossamer.adapters.aws.dynamodb.models import MODELS, HostItem, JobItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.core.errors import ConfigurationError, MissingResource, PermanentError
from gossamer.ports.admin.backups import Backup, Lot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pynamodb.models import Model

    from gossamer.adapters.aws.clients import Clients, Json
    from gossamer.adapters.aws.dynamodb.table import AnyTable, Raw

FOLDERS = ("warc", "documents")  # the index is made anew
SLOTS = tuple(
    attribute.attr_name
    for attribute in (
        HostItem.next_slot,
        HostItem.last_slot,
        HostItem.not_before,
        HostItem.service_slot,
    )
)
RECOVERABLE = {
    model.Meta.table_name: model for model in MODELS if getattr(model.Meta, "recoverable", False)
}


class AwsBackups:
    """What was kept of one collection."""

    def __init__(self, clients: Clients, stack: str, collection: str, bucket: str) -> None:
        self._clients, self._stack, self._bucket = clients, stack, bucket
        self._collection = collection

    def tables(self) -> list[Backup]:
        return [self._backup(name) for name in RECOVERABLE]

    def _backup(self, name: str) -> Backup:
        table = self._live(name)
        told = table.call("DescribeContinuousBackups")["ContinuousBackupsDescription"]
        window = told.get("PointInTimeRecoveryDescription", {})
        if window.get("PointInTimeRecoveryStatus") != "ENABLED":
            raise ConfigurationError(
                f"point-in-time recovery of table {table.name} is off: there is nothing to restore"
                " it from; `sam deploy` switches it on for the future"
            )
        described = self._described(table) or {}
        return Backup(
            table=name,
            earliest=_seconds(window["EarliestRestorableDateTime"]),
            latest=_seconds(window["LatestRestorableDateTime"]),
            items=int(described.get("ItemCount", 0)),
            size=int(described.get("TableSizeBytes", 0)),
        )

    def begin(self, at: float) -> list[str]:
        missing = [name for name in RECOVERABLE if self._described(self._past(name, at)) is None]
        for backup in map(self._backup, missing):
            _check(backup, at)
        for name in missing:
            self._live(name).clients.call(
                "dynamodb",
                "RestoreTableToPointInTime",
                f"table {self._live(name).name}",
                SourceTableName=self._live(name).name,
                TargetTableName=self._past(name, at).name,
                RestoreDateTime=datetime.fromtimestamp(at, UTC),
                BillingModeOverride="PAY_PER_REQUEST",
            )
        return [self._past(name, at).name for name in RECOVERABLE]

    def unready(self, at: float) -> list[str]:
        tables = [self._past(name, at) for name in RECOVERABLE]
        states = {table.name: self._described(table) or {} for table in tables}
        return [name for name, told in states.items() if told.get("TableStatus") != "ACTIVE"]

    def sizes(self, at: float) -> dict[str, int]:
        told = {name: self._described(self._past(name, at)) or {} for name in RECOVERABLE}
        return {name: int(each.get("ItemCount", 0)) for name, each in told.items()}

    def put_back(self, table: str, at: float, mark: bytes = b"") -> Iterator[Lot]:
        live = self._live(table)
        for behind, page in self._past(table, at).raw_pages(mark):
            past = [raw for raw in page if self._is_ours(live, raw)]
            now = live.raw_by_key(past)
            wanted = [_as_restored(live.model, raw, now.get(live.name_of(raw))) for raw in past]
            changed = [raw for raw in wanted if now.get(live.name_of(raw)) != raw]
            live.write_raw(puts=changed)
            yield Lot(behind, len(page), written=len(changed))

    def drop_newer(self, table: str, at: float, mark: bytes = b"") -> Iterator[Lot]:
        live, past = self._live(table), self._past(table, at)
        for behind, page in live.raw_pages(mark):
            ours = [raw for raw in page if self._is_ours(live, raw)]
            known = past.raw_by_key(ours)
            newer = [raw for raw in ours if live.name_of(raw) not in known]
            live.write_raw(deletes=newer)
            yield Lot(behind, len(page), deleted=len(newer))

    def end(self, at: float) -> None:
        for name in RECOVERABLE:
            past = self._past(name, at)
            if self._described(past) is not None:
                past.call("DeleteTable")

    def has_versions(self) -> bool:
        where = f"bucket {self._bucket}"
        answer = self._clients.call("s3", "GetBucketVersioning", where, Bucket=self._bucket)
        return answer.get("Status") == "Enabled"

    def deleted_objects(self, at: float) -> Iterator[list[tuple[str, str]]]:
        # An object is written once and never changed: what is missing is hidden by a delete marker.
        for folder in FOLDERS:
            where: Json = {"Bucket": self._bucket, "Prefix": f"{folder}/{self._collection}/"}
            while True:
                page = self._clients.call(
                    "s3", "ListObjectVersions", f"bucket {self._bucket}", **where
                )
                yield [
                    (marker["Key"], marker["VersionId"])
                    for marker in page.get("DeleteMarkers", ())
                    if marker["IsLatest"] and _seconds(marker["LastModified"]) > at
                ]
                if not page.get("IsTruncated"):
                    break
                where["KeyMarker"] = page["NextKeyMarker"]
                where["VersionIdMarker"] = page["NextVersionIdMarker"]

    def undelete(self, lot: list[tuple[str, str]]) -> None:
        if not lot:
            return
        wanted = {"Objects": [{"Key": k, "VersionId": v} for k, v in lot], "Quiet": True}
        where = f"bucket {self._bucket}"
        answer = self._clients.call(
            "s3", "DeleteObjects", where, Bucket=self._bucket, Delete=wanted
        )
        for error in answer.get("Errors", ()):
            raise PermanentError(f"{error.get('Key')} cannot be undeleted: {error.get('Code')}")

    def _live(self, name: str) -> AnyTable:
        return Table(self._clients, self._stack, RECOVERABLE[name])

    def _past(self, name: str, at: float) -> AnyTable:
        table: AnyTable = Table(self._clients, self._stack, RECOVERABLE[name])
        table.name = past_name(table.name, at)
        return table

    def _described(self, table: AnyTable) -> Json | None:
        try:
            described: Json = table.call("DescribeTable")["Table"]
        except MissingResource:
            return None
        return described

    def _is_ours(self, table: AnyTable, raw: Raw) -> bool:
        if table.model is JobItem and JobItem.epoch.attr_name in raw:
            return False  # a lease: its present holder keeps it
        key = table.keys[0]
        value, prefix = raw[key.attr_name][key.attr_type], f"{self._collection}#"
        is_ours: bool = value.startswith(prefix if isinstance(value, str) else prefix.encode())
        return is_ours


def past_name(table: str, at: float) -> str:
    """The name of a table as it was; the same for every run, so that each finds what it made."""
    return f"{table}-at-{datetime.fromtimestamp(at, UTC):%Y%m%dT%H%M%S}"


def _check(backup: Backup, at: float) -> None:
    if not backup.earliest <= at <= backup.latest:
        first, last = (_shown(moment) for moment in (backup.earliest, backup.latest))
        raise ConfigurationError(
            f"table {backup.table} can be restored to any time from {first} to {last},"
            f" not to {_shown(at)}"
        )


def _shown(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _seconds(moment: Any) -> float:
    """A time as boto3 gives it."""
    seconds: float = moment.timestamp()
    return seconds


def _as_restored(model: type[Model], raw: Raw, now: Raw | None) -> Raw:
    """An item as it is written back: nothing of it may set off what must not happen."""
    if model is JobItem:
        return _paused(raw)
    return _with_later_slots(raw, now) if model is HostItem and now else raw


def _paused(raw: Raw) -> Raw:
    state = JobItem.state.attr_name
    return raw | {state: {"S": "paused"}} if raw.get(state) == {"S": "running"} else raw


def _with_later_slots(raw: Raw, now: Raw) -> Raw:
    later = {
        name: max(raw.get(name, now[name]), now[name], key=lambda slot: float(slot["N"]))
        for name in SLOTS
        if name in now
    }
    return raw | later
