"""What may a function import that it did not bring? What Lambda's Python runtime holds, no more.

The process shares LocalStack's interpreter but must not share its packages: a layer that forgot
one would work here and fail in AWS. So the runtime client and the SDK are linked into a folder of
their own, and the interpreter is started without its site-packages.
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
    """Fill a folder with links to these packages and all they need."""
    folder.mkdir(parents=True, exist_ok=True)
    for found in _with_needs(names):
        for source in _top_level(found):
            link = folder / source.name
            if not link.is_symlink():
                link.symlink_to(source)
    return folder


def _with_needs(names: Iterable[str]) -> Iterator[Distribution]:
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
        waiting += _needs(found)
        yield found


def _needs(found: Distribution) -> Iterator[str]:
    for requirement in found.requires or ():
        name = NAME.match(requirement)
        if name and "extra ==" not in requirement:
            yield name[0]


def _top_level(found: Distribution) -> set[Path]:
    """The files and folders of a package that lie directly in site-packages."""
    tops = {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}
    return {Path(str(found.locate_file(top))) for top in tops}
