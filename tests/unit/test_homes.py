"""Does the composition root say what is missing?"""

from __future__ import annotations

import sys

import pytest

import gossamer.adapters.aws
from gossamer import adapters, homes
from gossamer.core.errors import ConfigurationError
from gossamer.settings import Settings


@pytest.fixture
def without_aws(monkeypatch):
    """As installed without the extra `aws`."""
    # A failed import leaves a new, empty package behind: other tests must get the old one back.
    monkeypatch.setattr(adapters, "aws", gossamer.adapters.aws)
    for name in list(sys.modules):
        if name.startswith(("botocore", "gossamer.adapters.aws")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "botocore", None)


@pytest.mark.usefixtures("without_aws")
def test_a_stack_without_its_packages_says_what_to_install():
    with pytest.raises(ConfigurationError, match=r"pip install 'gossamer\[aws\]'"):
        homes.find_stack("any", None, Settings())


@pytest.mark.usefixtures("without_aws")
def test_so_does_a_home_in_aws():
    with pytest.raises(ConfigurationError, match=r"botocore\S* is not installed"):
        homes.open_home(Settings(home="aws", stack="any"))
