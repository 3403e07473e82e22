"""Does `gossamer rank` refuse what cannot be weighed, and tell what it did?"""

from __future__ import annotations

from argparse import Namespace

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.cli.rank import weighing_of
from tests.commands import judged_folder, run_here, said


@pytest.mark.parametrize(("damping", "internal"), [(1.0, 1.0), (-0.1, 1.0), (0.85, 1.1)])
def test_weights_beyond_their_bounds_are_refused(damping, internal):
    with pytest.raises(ConfigurationError):
        weighing_of(Namespace(damping=damping, internal=internal, ranks=""))


def test_a_collection_without_links_is_ranked_too(tmp_path):
    data = tmp_path / "data"
    said("index", "--data", data, judged_folder(tmp_path / "judged"))

    assert said("rank", "--data", data)["links"] == 0
    assert "pages ranked by 0 links" in run_here("rank", "--data", data).stdout
