"""The settings of a deployment: read once from the environment; unknown names are errors."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.core.errors import ConfigurationError
from gossamer.core.index.segments.formats import DEFAULT_FORMAT, WRITTEN_FORMATS

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "GOSSAMER_"
HOMES = ("local", "aws")
SEARCH_SECONDS = 2.0
BUDGETS = ("daily_usd", "search_usd")
# Of the tests, not of a deployment.
TEST_KNOBS = {"hypothesis", "test_endpoint", "cloud", "spark", "dist"}
_is_decimal = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?").fullmatch
_is_origin = re.compile(r"https://[a-z0-9.-]+(?::[0-9]{1,5})?").fullmatch
_is_plain_name = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}").fullmatch  # it becomes a file's


@dataclass(frozen=True, slots=True)
class Settings:
    """Which home, and where it keeps its data. `GOSSAMER_DATA=/srv/gossamer` sets `data`."""

    home: str = "local"  # which adapters: local, or aws
    data: str = "data"  # the folder of the embedded home
    collection: str = "web"
    workers: int = 0  # parser processes; 0 = one per core
    stack: str = ""  # the CloudFormation stack of the cloud home; tables are named after it
    bucket: str = ""  # where the cloud home keeps its pages
    queues: str = ""  # the addresses of its queues: "frontier=https://…,fetch=https://…"
    contact: str = ""  # where site owners can complain, for jobs that do not say
    # What holds the admin key: a file, or in the cloud the name of a secret.
    admin_secret: str = ""
    # What signs requests: a PEM file, or in the cloud the name of a secret; and the origin that
    # serves its key directory (docs/politeness.md).
    signing_key: str = ""
    signature_agent: str = ""
    merge_reader: str = ""  # the event source mapping by which Lambda reads the queue merge
    fetchers: int = 0  # functions of a stack that make requests at once; 0 = not known
    search_function: str = ""  # the Lambda function that answers for groups of segments
    allow_host: str = ""  # names by which `serve` may be asked besides its own, commas between
    search_seconds: float = (
        SEARCH_SECONDS  # that a query of the API may take; then its answer is partial
    )
    index_format: int = DEFAULT_FORMAT  # of the manifests that a stack writes
    # What a stack may cost in a day: crawls, then jobs pause; searches, then they are refused.
    daily_usd: float = 0.0  # 0 = no limit
    search_usd: float = 0.0
    # Origins whose pages may read the API; "" is its own on one machine, and all in the cloud.
    allow_origin: str = ""

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Settings:
        """Read GOSSAMER_* variables."""
        given = {k[len(PREFIX) :].lower(): v for k, v in environ.items() if k.startswith(PREFIX)}
        known = {field.name for field in fields(cls)}
        given = {name: value for name, value in given.items() if name not in TEST_KNOBS}
        unknown = sorted(set(given) - known)
        if unknown:
            raise ConfigurationError(
                f"unknown setting {PREFIX}{unknown[0].upper()}; "
                f"known: {', '.join(PREFIX + name.upper() for name in sorted(known))}"
            )
        counts = {name: _count(name, given.pop(name, "0")) for name in ("workers", "fetchers")}
        seconds = _seconds(given.pop("search_seconds", str(SEARCH_SECONDS)))
        counts["index_format"] = _format(given.pop("index_format", str(DEFAULT_FORMAT)))
        budgets = {name: _dollars(name, given.pop(name, "0")) for name in BUDGETS}
        numbers = {**counts, **budgets, "search_seconds": seconds}
        return cls(**numbers, **given).checked()  # type: ignore[arg-type]

    def checked(self) -> Settings:
        """These settings; raises ConfigurationError if they make no sense."""
        if not _is_plain_name(self.collection):
            raise ConfigurationError(
                f"collection {self.collection!r} is no name: it may have letters, digits, '.', '_'"
                " and '-', and must begin with a letter or a digit"
            )
        if self.home not in HOMES:
            raise ConfigurationError(
                f"{PREFIX}HOME={self.home!r} is not a home; known: {', '.join(HOMES)}"
            )
        if self.home == "aws" and not self.stack:
            raise ConfigurationError(f"{PREFIX}HOME=aws needs {PREFIX}STACK, the name of the stack")
        self._check_signing()
        return self

    def _check_signing(self) -> None:
        if bool(self.signing_key) != bool(self.signature_agent):
            raise ConfigurationError(
                f"{PREFIX}SIGNING_KEY and {PREFIX}SIGNATURE_AGENT go together: the key that signs"
                " requests, and the https:// origin where its directory is found"
            )
        if self.signature_agent and not _is_origin(self.signature_agent):
            raise ConfigurationError(
                f"{PREFIX}SIGNATURE_AGENT={self.signature_agent!r} must be an origin, as"
                " https://search.example.org"
            )

    @property
    def database(self) -> Path:
        """The SQLite file of the collection."""
        return Path(self.data) / f"{self.collection}.db"

    @property
    def warc_folder(self) -> Path:
        """Where the WARC files of the collection lie."""
        return Path(self.data) / "warc" / self.collection

    @property
    def queue_urls(self) -> dict[str, str]:
        """The queues by name; their dead letters are under `<stream>-dead`."""
        pairs = (pair.partition("=") for pair in self.queues.split(",") if pair)
        return {name.strip(): url.strip() for name, _, url in pairs}


def _count(name: str, text: str) -> int:
    if text.isdecimal():
        return int(text)
    raise ConfigurationError(f"{PREFIX}{name.upper()} must be a number, not {text!r}")


def _format(text: str) -> int:
    if text.isdecimal() and int(text) in WRITTEN_FORMATS:
        return int(text)
    formats = " or ".join(map(str, WRITTEN_FORMATS))
    raise ConfigurationError(f"{PREFIX}INDEX_FORMAT must be {formats}, not {text!r}")


def _dollars(name: str, text: str) -> float:
    if _is_decimal(text):
        return float(text)
    raise ConfigurationError(f"{PREFIX}{name.upper()} must be a number, not {text!r}")


def _seconds(text: str) -> float:
    if _is_decimal(text) and float(text):
        return float(text)
    raise ConfigurationError(f"{PREFIX}SEARCH_SECONDS must be a number above 0, not {text!r}")
