"""Does `gossamer compact` say whether there was anything to merge?"""

from __future__ import annotations

from tests.commands import judged_folder, run_here, said


def test_an_index_of_one_part_is_left_as_it_is(tmp_path):
    data = tmp_path / "data"
    said("index", "--data", data, judged_folder(tmp_path / "judged"))
    said("compact", "--data", data)

    done = said("compact", "--data", data)

    assert done["changed"] is False
    assert done["bytes_before"] == done["bytes_after"] > 0
    assert run_here("compact", "--data", data).stdout == "nothing to compact\n"
