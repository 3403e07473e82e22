"""The packages of Lambda's Python runtime, linked into a folder.

The process uses LocalStack's interpreter but must not see its packages: a layer that lacks one
would work here and fail in AWS. So only the runtime client and the SDK are linked, and the
interpreter is started without its site-packages.
"""

from __future__ import annotations

import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PROVIDED = ("awslambdaric", "boto3")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def link_packages(folder: Path, names: Iterable[str] = PROVIDED) -> Path:
    """Link these packages and their dependencies into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for found in _with_dependencies(names):
        for source in _top_level(found):
            link = folder / source.name
            if not link.is_symlink():
                link.symlink_to(source)
    return folder


def _with_dependencies(names: Iterable[str]) -> Iterator[Distribution]:
    seen: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop().lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            found = distribution(name)
        except PackageNotFoundError:  # for another version of Python, or another system
            continue
        waiting += _dependencies(found)
        yield found


def _dependencies(found: Distribution) -> Iterator[str]:
    for requirement in found.requires or ():
        name = NAME.match(requirement)
        if name and "extra ==" not in requirement:
            yield name[0]


def _top_level(found: Distribution) -> set[Path]:
    """The files and folders of a package that lie directly in site-packages."""
    tops = {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}
    return {Path(str(found.locate_file(top))) for top in tops}
