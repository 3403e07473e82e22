"""Start MiniStack with three bugs fixed, and layers unpacked once. Run by its own interpreter.

MiniStack 1.5.33 does not convert numbers from template parameters, which arrive as strings: it
fails on the MaximumConcurrency of a mapping and then polls no queue at all. And it checks
the permission sqs:SendMessageBatch, which AWS does not have: there sqs:SendMessage covers batches.
To read one event source mapping it asks for the permission to list all, and to change one for none.

It unpacks every layer again for each process of a function, a hundred megabytes in four thousand
files. Here the first one does, and the others get links to its folder.
"""

from __future__ import annotations

import hashlib
import tempfile
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

from ministack import app
from ministack.core import iam_actions, lambda_runtime
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


lambda_action_of = iam_actions._lambda_action
ON_ONE_MAPPING = {"GET": "Get", "PUT": "Update", "DELETE": "Delete"}


def lambda_action_like_aws(method: str, path: str) -> str | None:
    """The permission that a request to Lambda needs."""
    *_, kind, _name = ("", "", *path.strip("/").split("/"))
    if kind == "event-source-mappings" and method in ON_ONE_MAPPING:
        return f"{ON_ONE_MAPPING[method]}EventSourceMapping"
    action: str | None = lambda_action_of(method, path)
    return action


class UnpackedOnce(zipfile.ZipFile):
    """A zip file whose folder, if it is that of a layer, is a link to one that is kept."""

    kept: ClassVar[dict[bytes, Path]] = {}
    turn: ClassVar[threading.Lock] = threading.Lock()

    def namelist(self) -> list[str]:
        """None of a layer that is unpacked: MiniStack looks each up to see where it leads."""
        return [] if self._is_layer and self._key in self.kept else super().namelist()

    def extractall(self, path: Any = None, *more: Any) -> None:
        """Unpack into a folder of its own, once, and link to it."""
        if not self._is_layer:
            super().extractall(path, *more)
            return
        with self.turn:
            if self._key not in self.kept:
                folder = Path(tempfile.mkdtemp(prefix="layer-"))
                super().extractall(folder)
                self.kept[self._key] = folder
        Path(path).rmdir()
        Path(path).symlink_to(self.kept[self._key])

    @property
    def _is_layer(self) -> bool:
        return Path(str(self.filename)).name.startswith("layer_")

    @property
    def _key(self) -> bytes:
        """Of its directory, which has a checksum of every file."""
        told = [(each.filename, each.CRC, each.file_size) for each in self.infolist()]
        return hashlib.sha256(repr(told).encode()).digest()


if __name__ == "__main__":
    lambda_runtime.zipfile = SimpleNamespace(**{**vars(zipfile), "ZipFile": UnpackedOnce})
    iam_actions.extract_iam_action = permission_like_aws
    iam_actions._lambda_action = lambda_action_like_aws
    lambda_svc._sqs_esm_concurrency = numeric_concurrency
    app.main()
