"""Does `gossamer audit` read the pages of a stack?"""

from __future__ import annotations

from tests.unit.entrypoints.moto_stack import STACK, home, result, run


def test_the_pages_of_a_stack_are_audited_from_its_bucket(capsys, stack, tmp_path):
    import gzip

    opened = home()
    opened.clients.call(
        "s3",
        "PutObject",
        "",
        Bucket=opened.bucket,
        Key="warc/web/d/1.warc.gz",
        Body=gzip.compress(b""),
    )

    assert result(capsys, "audit")["violations"] == 0
    assert run(capsys, "--stack", STACK, "audit", "x.warc.gz")[0] == 2
