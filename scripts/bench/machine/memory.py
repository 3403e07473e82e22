"""Peak memory of a process and its descendants."""

from collections import defaultdict
from pathlib import Path

from scripts.background import Background

PROC = Path("/proc")
INTERVAL = 0.25  # seconds; VmHWM is a peak, so only processes that live shorter are missed


class MemoryWatch(Background):
    """Samples a process tree from a thread during the `with` block."""

    def __init__(self, root: int) -> None:
        super().__init__()
        self._root = root
        self._peaks: dict[int, int] = {}

    @property
    def peaks_mb(self) -> list[float]:
        """The peak of each process that was seen, largest first."""
        return sorted((round(kb / 1024, 1) for kb in self._peaks.values()), reverse=True)

    def _work(self) -> None:
        while True:
            for pid in family(self._root):
                self._peaks[pid] = max(self._peaks.get(pid, 0), _peak_kb(pid))
            if self._done.wait(INTERVAL):
                return


def family(root: int) -> list[int]:
    """The process and its living descendants."""
    children: dict[int, list[int]] = defaultdict(list)
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            children[_parent(folder)].append(int(folder.name))
    pids = [root]
    for pid in pids:
        pids.extend(children[pid])
    return pids


def _parent(folder: Path) -> int:
    try:
        # The process name, in parentheses, can contain spaces and parentheses.
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # it ended meanwhile
        return 0


def _peak_kb(pid: int) -> int:
    try:
        status = (PROC / str(pid) / "status").read_text()
    except OSError:
        return 0
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0
