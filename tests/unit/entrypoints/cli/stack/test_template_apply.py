"""Are pages of a stack sent to PARSE to be read again, each once, also if that is interrupted?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gossamer.adapters.aws.sqs.queues import SqsQueues
from gossamer.core.crawl.url_record import PageRef
from gossamer.core.crawl.url_state import State
from gossamer.core.errors import TransientError
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.templates import sending
from gossamer.messages import PageFetched, decode
from tests.unit.entrypoints.moto_stack import STACK, add_url, begin_job, home, result, run

pytestmark = pytest.mark.usefixtures("stack")
PAGES = 7
TEMPLATE = 'name = "shop"\nmatch = "a.test/p/*"\n[fields.name]\nselect = "h1"\n'


def url(number: int) -> str:
    return f"http://a.test/p/{number}"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A template; the stack has pages of it, and one that is none of it."""
    monkeypatch.chdir(tmp_path)
    begin_job()
    for n, address in enumerate([*map(url, range(PAGES)), "http://a.test/about"]):
        page = PageRef("warc/x", n, 10)
        add_url(address, State.PARSED, "document", page=page, fetched_at=200.0)
        home().documents.put(url_id(address), [Document(url=address, title="Lamp")], 200.0)
    (tmp_path / "shop.toml").write_text(TEMPLATE)
    return "shop.toml"


def sent() -> list[PageFetched]:
    """What PARSE has to read."""
    found: list[PageFetched] = []
    while deliveries := home().queues.receive("parse", 10, 300.0):
        messages = [decode(each.body) for each in deliveries]
        found += [each for each in messages if isinstance(each, PageFetched)]
        home().queues.acknowledge(deliveries)
    return found


def test_the_pages_of_a_template_are_sent_with_the_settings_by_which_they_are_read(
    capsys, file: str, tmp_path: Path
):
    done = result(capsys, "template", "apply", file)

    assert (done["sent"], done["resumed"]) == (PAGES, False)
    messages = sent()
    assert sorted(each.url for each in messages) == sorted(map(url, range(PAGES)))
    assert {each.settings for each in messages} == {home().settings.get().version}
    assert all(each.fetched_at > 200.0 for each in messages)
    assert list(tmp_path.glob("**/*.reread.json")) == []


def test_what_was_interrupted_goes_on_where_it_was(capsys, file: str, monkeypatch):
    monkeypatch.setattr(sending, "AT_ONCE", 2)
    real, calls = SqsQueues.send, 0

    def failing(queues: Any, emissions: Any, now: float) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise TransientError("SQS is busy")
        real(queues, emissions, now)

    monkeypatch.setattr(SqsQueues, "send", failing)
    assert run(capsys, "--stack", STACK, "template", "apply", file)[0] != 0
    first = sent()
    assert 0 < len(first) < PAGES
    monkeypatch.setattr(SqsQueues, "send", real)

    done = result(capsys, "template", "apply", file)

    assert (done["sent"], done["resumed"]) == (PAGES, True)
    urls = [each.url for each in (*first, *sent())]
    assert sorted(urls) == sorted(map(url, range(PAGES))), "each once"
    assert result(capsys, "template", "apply", file)["resumed"] is False


def test_a_template_that_was_changed_meanwhile_is_begun_anew(capsys, file: str, monkeypatch):
    monkeypatch.setattr(sending, "AT_ONCE", 2)
    real = SqsQueues.send
    sendings = iter([None, TransientError("SQS is busy")])

    def failing(queues: Any, emissions: Any, now: float) -> None:
        real(queues, emissions, now)
        if trouble := next(sendings):
            raise trouble

    monkeypatch.setattr(SqsQueues, "send", failing)
    run(capsys, "--stack", STACK, "template", "apply", file)
    monkeypatch.setattr(SqsQueues, "send", real)
    sent()
    with Path(file).open("a") as lines:
        lines.write('[fields.price]\nselect = ".price"\n')

    done = result(capsys, "template", "apply", file)

    assert (done["sent"], done["resumed"]) == (PAGES, False)
    assert len(sent()) == PAGES
