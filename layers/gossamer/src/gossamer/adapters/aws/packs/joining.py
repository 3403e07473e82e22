"""Join small WARC objects into packs of 8 MB or more, and delete them a day later.

FETCH writes one object for the pages of an invocation, some 100 KB: too small for colder storage
classes, and too many to list. Gzip members behind each other are a WARC file, so a pack is its
members as they are, and what refers to a member goes on doing so (`members.py`).

The order of effects makes every step safe to repeat: pack, item, a day later the deletion, then the
mark that says how far deletions came. The name of a pack is that of its contents, so a pack whose
item was never written is written again with the same bytes. One process at a time does this.
"""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gossamer.adapters.aws.errors import translated
from gossamer.adapters.aws.packs.members import PACKS, Member, Pack
from gossamer.core.errors import CorruptRecord, PermanentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.packs.members import Members

ENOUGH = 8 << 20  # bytes: a pack is written when so many wait
# Seconds. FETCH names an object when it begins it, and has 80 s to write it: what is older than
# this is complete, and nothing can appear before it any more.
OLD_ENOUGH = 600.0
# Seconds from joining to deletion. A Spark job that listed a member has time to read it, and
# functions of an older version, which know nothing of packs, have ended long ago.
KEPT = 86_400.0
DELETED_AT_ONCE = 1000  # what one DeleteObjects takes
_OURS = re.compile(r"\d{8}/(\d{8}T\d{12})-[0-9a-f]{8}\.warc\.gz")


class Joiner:
    """Joins the WARC objects of one collection."""

    enough = ENOUGH

    def __init__(self, clients: Clients, bucket: str, prefix: str, members: Members) -> None:
        self._clients, self._bucket, self._prefix = clients, bucket, prefix
        self._members = members

    def join(self, now: float, goes_on: Callable[[], bool]) -> int:
        """Join what is old enough, pack by pack; returns how many objects were joined."""
        count, after = 0, self._members.newest()
        for group in groups(self._waiting(after, now), self.enough):
            if not goes_on():
                break
            self._write(group, now)
            count += len(group)
        return count

    def sweep(self, now: float, goes_on: Callable[[], bool]) -> int:
        """Delete members of packs that are a day old; returns how many."""
        count = 0
        for pack in self._members.packs(self._members.swept()):
            if pack.at > now - KEPT or not goes_on():
                break
            self._delete([member.name for member in pack.members])
            self._members.set_swept(pack.last)
            count += len(pack.members)
        return count

    def _waiting(self, after: str, now: float) -> Iterator[Member]:
        """The objects behind a name that are small, complete and ours, in order."""
        latest = f"{datetime.fromtimestamp(now - OLD_ENOUGH, UTC):%Y%m%dT%H%M%S%f}"
        found = self._clients.object_sizes(
            self._bucket, self._prefix, after=self._prefix + after if after else ""
        )
        for key, size in found:
            name = key.removeprefix(self._prefix)
            if name.startswith(PACKS):
                return
            ours = _OURS.fullmatch(name)
            if ours is None:  # it came from another home
                continue
            if ours[1] > latest:
                return
            if size < self.enough:
                yield Member(name, size)

    def _write(self, group: Sequence[Member], now: float) -> None:
        body = b"".join(self._clients.each(self._read, group))
        pack = Pack(pack_name(group), list(group), now)
        key = self._prefix + pack.name
        how = {"Body": body, "ContentType": "application/warc"}
        self._clients.call("s3", "PutObject", key, Bucket=self._bucket, Key=key, **how)
        self._members.publish(pack)

    def _read(self, member: Member) -> bytes:
        key = self._prefix + member.name
        answer = self._clients.call("s3", "GetObject", key, Bucket=self._bucket, Key=key)
        with translated("GetObject", key):
            body: bytes = answer["Body"].read()
        if len(body) != member.size:
            raise CorruptRecord(f"{key} has {len(body)} bytes, and was listed with {member.size}")
        return body

    def _delete(self, names: Sequence[str]) -> None:
        for begin in range(0, len(names), DELETED_AT_ONCE):
            some = names[begin : begin + DELETED_AT_ONCE]
            wanted = {"Objects": [{"Key": self._prefix + n} for n in some], "Quiet": True}
            where = f"bucket {self._bucket}"
            answer = self._clients.call(
                "s3", "DeleteObjects", where, Bucket=self._bucket, Delete=wanted
            )
            for error in answer.get("Errors", ()):
                raise PermanentError(f"{error.get('Key')} cannot be deleted: {error.get('Code')}")


def groups(waiting: Iterator[Member], enough: int) -> Iterator[list[Member]]:
    """Neighbours that together are large enough; what is left of them goes on waiting."""
    group: list[Member] = []
    for member in waiting:
        group.append(member)
        if sum(each.size for each in group) >= enough:
            yield group
            group = []


def pack_name(group: Sequence[Member]) -> str:
    """What a pack of these members is called: always the same."""
    contents = "".join(f"{member.name} {member.size}\n" for member in group)
    stem = group[-1].name.rpartition("/")[2].removesuffix(".warc.gz")
    return f"{PACKS}{stem}-{hashlib.sha256(contents.encode()).hexdigest()[:16]}.warc.gz"
