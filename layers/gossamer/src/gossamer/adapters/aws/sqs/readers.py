"""Switch Lambda's polling of a queue on and off: five pollers cost $0.26 a month and queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.adapters.aws.clients import Clients

# The states in which a mapping can be changed. Between them it is "Enabling", "Disabling" or
# "Updating" for about a minute, and Lambda refuses: the next call makes the change.
POLLS, RESTS = "Enabled", "Disabled"


def switch(clients: Clients, mapping: str, *, wanted: bool) -> None:
    """Let Lambda poll for an event source mapping, or not."""
    name = f"event source mapping {mapping}"
    state = clients.call("lambda", "GetEventSourceMapping", name, UUID=mapping)["State"]
    if state == (RESTS if wanted else POLLS):
        clients.call("lambda", "UpdateEventSourceMapping", name, UUID=mapping, Enabled=wanted)
