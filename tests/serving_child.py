"""A process that stands in for one of `gossamer serve`: tells its number, and does as it is told.

`/when?file=F` is answered once there is a file F or nobody waits, and `/die` kills it.
`/search?q=surprise` takes longer than is quick: it is given up unless there is all the time that it
needs.
"""

from __future__ import annotations

import math
import os
import sys
import time
from pathlib import Path

from gossamer.entrypoints.api import child
from gossamer.entrypoints.api.reply import Asked, Reply, budget_clock
from gossamer.settings import Settings


class Obedient:
    """Replies with the number of its process."""

    def __init__(self, settings: Settings) -> None:
        assert settings == Settings()

    def reply(self, asked: Asked) -> Reply:
        target = asked.head.target
        if target == "/die":
            os._exit(1)
        if "surprise" in target and asked.patience < math.inf:
            return Reply(503, {}, b"")
        file = target.partition("file=")[2]
        while file and not Path(file).exists() and budget_clock.get()() < math.inf:
            time.sleep(0.01)
        return Reply(200, {}, str(os.getpid()).encode())


if __name__ == "__main__":
    child.main(int(sys.argv[1]), Obedient)
