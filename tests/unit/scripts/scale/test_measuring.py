"""Does the model agree with the real functions, over moto, on a web that it was not fitted to?"""

from __future__ import annotations

from collections import defaultdict

import pytest

from scripts.scale import profile
from scripts.scale.measuring import Run, run
from scripts.scale.plan import QUIET, Plan
from scripts.scale.profile import STREAMS, Profile
from scripts.scale.sample_web import SampleWeb
from scripts.scale.week import Week

# Other hosts and sizes than those of measuring.SAMPLE; full batches, not random ones.
WEB = SampleWeb(hosts=5, pages=20)
WRITES, READS = 0.10, 0.10  # of all tables together
OF_A_TABLE = 0.25  # of one; items are billed in whole units, which a straight line cannot follow
MESSAGES, INVOCATIONS = 0.10, 0.35  # how full batches are depends on how far queues are in step
# URLs of one host that are found by one invocation share a message, and which are depends on how
# many links a function is handed at once: 23 to 28 messages for 36 of the model, which has an
# average of another web.
PACKS = 2.0


@pytest.fixture(scope="module")
def real() -> Run:
    return run(WEB)


@pytest.fixture(scope="module")
def simulated() -> Week:
    pages = WEB.hosts * WEB.pages
    week = Week(Plan(pages, WEB.hosts, delay=0.0, limited=False, incidents=QUIET, eager=True))
    week.run()
    return week


def by_kind(units: dict[str, float]) -> dict[str, float]:
    found: dict[str, float] = defaultdict(float)
    for name, count in units.items():
        found[name.partition(" ")[0]] += count
    return found


def test_units_of_every_table_follow_from_what_functions_are_handed(real: Run):
    predicted, counted = profile.load().used(real.totals()), real.units()

    large = {name: n for name, n in counted.items() if n / real.pages >= 0.3}
    assert len(large) > 8
    for name, count in large.items():
        assert predicted[name] == pytest.approx(count, rel=OF_A_TABLE), name
    both = by_kind(predicted), by_kind(counted)
    assert both[0]["wru"] == pytest.approx(both[1]["wru"], rel=WRITES)
    assert both[0]["rru"] == pytest.approx(both[1]["rru"], rel=READS)


def test_a_simulated_crawl_makes_as_many_messages_and_invocations(real: Run, simulated: Week):
    counted, predicted = real.totals(), simulated.sums.given

    assert simulated.sums.pages == pytest.approx(real.pages, rel=0.01)
    for stream in STREAMS:
        got, want = predicted[stream], counted[stream]
        if stream == "frontier":
            assert 1 / PACKS < got.messages / want.messages < PACKS
        else:
            assert got.messages == pytest.approx(want.messages, rel=MESSAGES), stream
    together = [sum(given.invocations for given in each.values()) for each in (predicted, counted)]
    assert together[0] == pytest.approx(together[1], rel=INVOCATIONS)


def test_a_simulated_crawl_uses_as_many_units(real: Run, simulated: Week):
    predicted, counted = by_kind(simulated.sums.units), by_kind(real.units())

    assert predicted["wru"] == pytest.approx(counted["wru"], rel=WRITES)
    assert predicted["rru"] == pytest.approx(counted["rru"], rel=READS)
    # Not those of the index: INDEX reads what came before, and here is hardly anything before.
    # PARSE reads the pages of an object together, so these go by batches, as invocations do.
    pages = "s3get bucket:warc/"
    assert simulated.sums.units[pages] == pytest.approx(real.units()[pages], rel=INVOCATIONS)


def test_a_profile_of_other_code_would_not_pass(real: Run):
    measured = profile.load()
    step = measured.steps["links"]
    dearer = {"wru urls": tuple(2.0 * each for each in step.units["wru urls"])}
    steps = measured.steps | {"links": profile.Step(step.units | dearer, step.calls)}  # type: ignore[arg-type]

    predicted = Profile(measured.shape, steps).used(real.totals())

    assert predicted["wru urls"] != pytest.approx(real.units()["wru urls"], rel=OF_A_TABLE - 0.05)
