"""The command `gossamer inspect`: what is in a segment of the index, or which ones there are."""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.core.errors import ConfigurationError
from gossamer.core.index.segments.reader import Segment
from gossamer.entrypoints.cli.command import DONE, FAILED, print_result, settings_of
from gossamer.entrypoints.local.report import counted, size

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from gossamer.core.index.segments.layout import Range
    from gossamer.core.index.segments.numbers import Buffer


class RegionSize(msgspec.Struct, frozen=True):
    """A region of a segment, and its share of the file."""

    name: str
    bytes: int
    share: float  # of the file, 0 to 1


class Damage(msgspec.Struct, frozen=True):
    """A damaged region, and what is wrong with it."""

    region: str
    problem: str


class Inspected(msgspec.Struct, frozen=True, kw_only=True):
    """What is in a segment."""

    name: str
    format: int
    bytes: int
    documents: int
    gone: int
    terms: int
    postings: int
    positions: int
    analyzer: dict[str, str | int | bool]
    columns: dict[str, str]  # types by name
    regions: list[RegionSize]
    verified: bool
    damaged: list[Damage]


class ListedSegment(msgspec.Struct, frozen=True):
    """A segment of the manifest."""

    name: str
    documents: int
    live: int
    bytes: int


class Listed(msgspec.Struct, frozen=True):
    """The segments of an index."""

    version: int  # of the manifest
    live: int
    bytes: int
    segments: list[ListedSegment]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which file, and whether all of it is read."""
    parser.add_argument(
        "segment", nargs="?", metavar="SEGMENT",
        help="a file of the index (default: list the segments of the collection)",
    )  # fmt: skip
    parser.add_argument(
        "--verify", action="store_true", help="read everything, and name every damaged region"
    )


def run(args: argparse.Namespace) -> int:
    """Print what is in a segment, or which segments there are."""
    if args.segment is None:
        return _list(args)
    found = inspect(Path(args.segment), verify=args.verify)
    print_result(args, found, _told(found))
    return FAILED if found.damaged else DONE


def inspect(path: Path, *, verify: bool = False) -> Inspected:
    """What is in a segment file."""
    data = _mapped(path)

    def fetch(ranges: Sequence[Range]) -> Sequence[Buffer]:
        return [data[offset : offset + length] for _, offset, length in ranges]

    segment = Segment(path.name, len(data), fetch)
    footer = segment.footer
    return Inspected(
        name=path.name,
        format=segment.format,
        bytes=len(data),
        documents=footer.documents,
        gone=footer.gone,
        terms=footer.terms,
        postings=footer.postings,
        positions=footer.positions,
        analyzer=footer.analyzer,
        columns={column.name: column.type for column in footer.columns},
        regions=[
            RegionSize(name, place.size, round(place.size / len(data), 4))
            for name, place in footer.regions.items()
        ],
        verified=verify,
        damaged=[Damage(*found) for found in segment.verify()] if verify else [],
    )


def _mapped(path: Path) -> Buffer:
    try:
        with path.open("rb") as file:
            if not os.fstat(file.fileno()).st_size:
                return b""
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {error.strerror}") from error


def _told(found: Inspected) -> str:
    lines = [
        f"{found.name}: a segment of format {found.format}, {size(found.bytes)}",
        f"  {counted(found.documents, 'document')}, {found.gone:,} of them say that a page is gone",
        f"  {found.terms:,} terms, {found.postings:,} postings, {found.positions:,} positions",
        f"  columns: {', '.join(f'{name} ({type})' for name, type in found.columns.items())}",
        f"  analyzer: {', '.join(f'{key}={value}' for key, value in found.analyzer.items())}",
        "",
    ]
    for region in sorted(found.regions, key=lambda each: -each.bytes):
        lines.append(f"  {region.name:<24} {region.bytes:>14,} bytes  {region.share:6.1%}")
    rest = found.bytes - sum(region.bytes for region in found.regions)
    lines.append(f"  {'footer and padding':<24} {rest:>14,} bytes  {rest / found.bytes:6.1%}")
    if found.verified:
        lines += ["", *(f"damaged: {damage.problem}" for damage in found.damaged)]
        if not found.damaged:
            lines.append("every region has its checksum")
    return "\n".join(lines)


def _list(args: argparse.Namespace) -> int:
    if args.verify:
        raise ConfigurationError("--verify reads one SEGMENT: name its file")
    manifest = homes.open_home(settings_of(args), read_only=True).index.manifest()
    segments = [ListedSegment(i.name, i.documents, i.live, i.size) for i in manifest.segments]
    found = Listed(manifest.version, manifest.live, manifest.size, segments)
    lines = [
        f"{counted(len(segments), 'segment')} with {counted(found.live, 'live document')}"
        f" in {size(found.bytes)} (version {found.version:,} of the manifest)"
    ]
    lines += [
        f"  {each.name:<28} {each.documents:>12,} documents {each.live:>12,} live"
        f"  {size(each.bytes):>9}"
        for each in segments
    ]
    print_result(args, found, "\n".join(lines))
    return DONE
