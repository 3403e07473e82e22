"""Is a selector judged by the work it makes, however busy the machine is?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gossamer.core.errors import Unending
from gossamer.core.page.templates.template import read_template
from gossamer.entrypoints.cli.templates import bounded

if TYPE_CHECKING:
    from collections.abc import Callable

CLOCK_PER_CPU = 10  # a tenth of a processor is left for a child


def test_the_slow_selector_is_named_on_a_busy_machine(monkeypatch):
    text = 'match = "a.test/*"\n[fields.fine]\nselect = "p"\n[fields.x]\nselect = "b"\n'
    costs = iter([100.0, 0.5, 100.0])  # of all selectors, and then of each

    def answer_of_child(work: Callable[[], bytes], seconds: float, cpu_seconds: int) -> bytes:
        cost = next(costs)
        return work() if cost <= cpu_seconds and cost * CLOCK_PER_CPU <= seconds else b""

    monkeypatch.setattr(bounded, "answer_of_child", answer_of_child)

    with pytest.raises(Unending, match=r"`fields\.x` is too slow"):
        bounded.extract_within(read_template(text, "shop"), "<p>1</p>", "http://a.test/")
