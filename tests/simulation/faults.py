"""A port behind which a process may die, wait, or be refused, before or after any effect."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from gossamer.core.errors import Throttled
from tests.simulation.kernel import Died, Task, current

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    from tests.simulation.kernel import Kernel
    from tests.simulation.spec import Faults

# What only looks: dying before it is dying after whatever came before.
READING = frozenset(
    {"get", "read", "unknown", "waiting", "all", "names", "parse"}  # of the stores of a crawl
    | {"visited", "packed", "inlinks", "founders", "room"}
    | {"manifest", "heads"}  # of the index
)
INDEX_CHANGES = frozenset({"index.put", "index.publish", "index.delete"})
PATIENCE = 60  # calls between two misfortunes, on average


class Misfortune:
    """Decides when something goes wrong; only so often, and never to those who suffered enough."""

    def __init__(self, kernel: Kernel, faults: Faults, latency: float, log: list[str]) -> None:
        self.kernel = kernel
        self.kills, self.throttles = faults.kills, faults.throttles
        self.interleave, self.latency = faults.interleave, latency  # seconds at most for a call
        self.log = log
        self.index_kills = faults.index_kills
        self.interludes: list[Callable[[], None]] = []  # what others do while the index changes

    def before(self, task: Task, what: str, *, effect: bool) -> None:
        """Just before a call."""
        chance = self.kernel.chance
        if task.process.dead:
            raise Died
        if chance.random() < self.interleave:
            self.kernel.sleep(chance.random() * self.latency)
        if task.process.immune:
            return
        if self.throttles and chance.random() * PATIENCE < 1:
            self.throttles -= 1
            self.log.append(f"{self.kernel.now:.3f} throttled {what} for {task.subject}")
            raise Throttled(f"{what} was throttled")
        if effect:
            self._perhaps_die(task, f"before {what}")

    def after(self, task: Task, what: str) -> None:
        """Just after an effect."""
        if self.interludes and what in INDEX_CHANGES and self.kernel.chance.random() < 0.5:
            self.interludes.pop()()
            self.kernel.sleep(self.kernel.chance.random() * 40 * self.latency)
        if not task.process.immune:
            self._perhaps_die(task, f"after {what}")

    def _perhaps_die(self, task: Task, where: str) -> None:
        if self.kills and self.kernel.chance.random() * PATIENCE < 1:
            self.kills -= 1
            self.die(task, where)
        is_change = where.split()[-1] in INDEX_CHANGES
        if self.index_kills and is_change and self.kernel.chance.random() < 0.1:
            self.index_kills -= 1
            self.die(task, where)

    def die(self, task: Task, where: str) -> None:
        """End the whole process of a task."""
        self.log.append(f"{self.kernel.now:.3f} {task.process.name} died {where} ({task.subject})")
        task.process.dead = True
        raise Died


class Exposed:
    """A store, exposed to misfortune. What the world itself asks is never disturbed."""

    def __init__(
        self,
        name: str,
        inner: Any,
        misfortune: Misfortune,
        wait_for: Callable[[Coroutine[Any, Any, Any]], Any],
    ) -> None:
        self._name, self._inner = name, inner
        self._misfortune, self._wait_for = misfortune, wait_for

    def __getattr__(self, method: str) -> Any:
        inner = getattr(self._inner, method)
        if not callable(inner):
            return inner
        wrapped = self._wrap(inner, method)
        setattr(self, method, wrapped)
        return wrapped

    def _wrap(self, inner: Callable[..., Any], method: str) -> Callable[..., Any]:
        what, effect = f"{self._name}.{method}", method not in READING
        is_slow = inspect.iscoroutinefunction(inner)

        def call(*args: Any, **kwargs: Any) -> Any:
            task = current()
            if task is not None:
                self._misfortune.before(task, what, effect=effect)
            made = inner(*args, **kwargs)
            result = self._wait_for(made) if is_slow else made
            if task is not None and effect:
                self._misfortune.after(task, what)
            return result

        async def slow_call(*args: Any, **kwargs: Any) -> Any:
            return call(*args, **kwargs)

        return slow_call if is_slow else call


class ExposedQueues(Exposed):
    """Sending takes a request for ten messages: some may have been sent when a process dies."""

    def send(self, emissions: Iterable[Any], now: float) -> None:
        given, task = list(emissions), current()
        for start in range(0, len(given), 10):
            if task is not None:
                self._misfortune.before(task, "queues.send", effect=True)
            self._inner.send(given[start : start + 10], now)
            if task is not None:
                self._misfortune.after(task, "queues.send")
