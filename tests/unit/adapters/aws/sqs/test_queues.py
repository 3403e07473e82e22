"""Does SQS get what it can take, and all of it?"""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.adapters.aws.sqs.gathering import held_back
from gossamer.core.errors import MissingResource, PermanentError, Throttled
from gossamer.messages import Candidate, CrawlRequest, Emission, LinksFound, decode
from gossamer.messages import Link as LinkTo
from gossamer.ports.queues import EARLY, Delivery
from tests.unit.adapters.aws.conftest import refuse


@pytest.fixture
def queues(home):
    return home.queues


def request(host="a.test", count=1):
    return CrawlRequest(
        job="web", host=host, urls=[Candidate(f"http://{host}/{i}") for i in range(count)]
    )


def links(anchor="", count=1):
    found = [LinkTo(f"http://a.test/{i}", anchor) for i in range(count)]
    return LinksFound(job="web", source="http://a.test/", depth=0, via="page", links=found)


def batches(fault):
    return [params["Entries"] for name, params in fault.calls if name == "SendMessageBatch"]


def test_batches_have_ten_messages_and_a_quarter_of_a_megabyte_at_most(queues, faults):
    fault = faults("sqs", lambda *_: None)
    small = [Emission("fetch", request(f"{i}.test")) for i in range(23)]
    large = [Emission("links", links("x" * 90_000)) for _ in range(5)]

    queues.send([*small, *large], 100.0)

    sizes = sorted(len(entries) for entries in batches(fault))
    assert sizes == [1, 2, 2, 3, 10, 10]
    assert queues.depth()["fetch"] == 23
    assert queues.depth()["links"] == 5


@pytest.mark.parametrize(("delay", "seconds"), [(0.9, 0), (1.999, 1), (899.99, 899), (900.0, 900)])
def test_a_delay_is_rounded_down(queues, faults, delay, seconds):
    fault = faults("sqs", lambda *_: None)

    queues.send([Emission("fetch", request(), delay)], 100.0)

    assert batches(fault)[0][0].get("DelaySeconds", 0) == seconds


@given(now=st.floats(0.0, 1e6), slots=st.lists(st.floats(0.0, 800.0), min_size=1))
def test_requests_come_before_their_slots_but_never_too_early(now, slots):
    for wait in slots:
        held = math.floor(held_back(Emission("fetch", request(), wait, timed=True), now))

        assert 0 <= held <= wait
        assert wait - held <= EARLY


def test_requests_to_different_hosts_with_near_slots_are_handed_out_together(queues, faults):
    fault = faults("sqs", lambda *_: None)
    waits = [28.0, 31.3, 34.9]  # slots from 127.5 to 135

    queues.send([Emission("fetch", request(), wait, timed=True) for wait in waits], 100.0)

    assert [entry["DelaySeconds"] for entry in batches(fault)[0]] == [26, 26, 26]


def test_urls_that_must_wait_longer_than_sqs_can_are_parked_until_then(home, queues):
    queues.send([Emission("frontier", request(), 2000.0)], 100.0)

    assert queues.depth()["frontier"] == 0
    assert home.frontier.take("a.test", 2099.0) is None
    assert home.frontier.take("a.test", 2100.0).request == request()


def test_what_is_parked_for_long_does_not_hold_back_what_is_not(home, queues):
    home.frontier.park(request(count=2), until=0.0)
    queues.send([Emission("frontier", request(), 2000.0)], 100.0)

    assert home.frontier.take("a.test", 150.0).request == request(count=2)
    assert home.frontier.take("a.test", 150.0) is None
    assert home.frontier.next_at() == 270.0  # when the lease of the first is over


def test_messages_that_are_no_packs_wait_as_long_as_sqs_can(queues, faults):
    fault = faults("sqs", lambda *_: None)

    queues.send([Emission("links", links(), 5000.0)], 100.0)

    assert batches(fault)[0][0]["DelaySeconds"] == 900


def test_entries_that_failed_are_sent_again_and_no_others(queues, faults, patience):
    rounds = iter([[2, 5], [0]])

    def some(operation, params):
        failed = next(rounds, None) if operation == "SendMessageBatch" else None
        if failed is None:
            return None
        bad = [{"Id": str(i), "SenderFault": False, "Code": "InternalError"} for i in failed]
        return {"Successful": [], "Failed": bad}

    fault = faults("sqs", some)
    queues.send([Emission("fetch", request(f"{i}.test")) for i in range(8)], 100.0)

    hosts = [[json.loads(e["MessageBody"])["host"] for e in batch] for batch in batches(fault)]
    assert hosts == [[f"{i}.test" for i in range(8)], ["2.test", "5.test"], ["2.test"]]
    assert len(patience) == 2


def test_a_queue_that_never_takes_a_message_is_throttled_by_name(queues, faults, patience):
    bad = {"Failed": [{"Id": "0", "SenderFault": False, "Code": "InternalError"}]}
    faults("sqs", lambda operation, _: bad if operation == "SendMessageBatch" else None)

    with pytest.raises(Throttled, match="queue test-stack-fetch"):
        queues.send([Emission("fetch", request())], 100.0)


def test_a_message_that_sqs_refuses_is_not_sent_for_ever(queues, faults, patience):
    bad = {"Failed": [{"Id": "0", "SenderFault": True, "Code": "InvalidMessageContents"}]}
    faults("sqs", lambda operation, _: bad if operation == "SendMessageBatch" else None)

    with pytest.raises(PermanentError, match="InvalidMessageContents"):
        queues.send([Emission("fetch", request())], 100.0)
    assert patience == []


def test_characters_that_sqs_refuses_travel_as_escapes(queues):
    odd = "a\x00b\x0b\ufffe\uffff\U0001f578"

    queues.send([Emission("links", links(odd))], 100.0)

    (delivery,) = queues.receive("links", 10, 100.0)
    assert decode(delivery.body) == links(odd)
    assert not set(delivery.body.decode()) & set("\x00\x0b\ufffe\uffff")


def test_a_dead_letter_says_why_it_died_and_can_be_sent_back(queues):
    dead = Delivery("", b"\xff not ours \x00", 1)

    queues.bury("parse", dead, "UndecodableMessage: \x00 no", 100.0)

    ((stream, reason, body),) = queues.dead_letters()
    assert (stream, reason) == ("parse", "UndecodableMessage:  no")
    assert b" not ours " in body


def test_dead_letters_are_counted_by_their_stream(queues):
    queues.send([Emission("parse", request(f"{i}.test")) for i in range(12)], 100.0)
    for delivery in queues.receive("parse", 12, 100.0):
        queues.bury("parse", delivery, "no", 100.0)

    assert queues.dead_counts()["parse"] == 12
    assert queues.dead_counts()["fetch"] == 0


def test_an_empty_letter_can_be_buried(queues):
    queues.bury("fetch", Delivery("", b"", 1), "", 100.0)

    assert queues.dead_letters() == [("fetch", "unknown", b"(empty)")]


def test_a_missing_queue_is_named(cloud, home):
    from gossamer.adapters.aws.sqs.queues import SqsQueues

    lost = SqsQueues(home.clients, "elsewhere", home.frontier)

    with pytest.raises(MissingResource, match="queue elsewhere-fetch does not exist"):
        lost.send([Emission("fetch", request())], 100.0)


def test_throttling_that_does_not_end_is_said(queues, faults):
    faults("sqs", lambda *_: refuse("RequestThrottled", 403))

    with pytest.raises(Throttled, match="SendMessageBatch of queue test-stack-fetch"):
        queues.send([Emission("fetch", request())], 100.0)
