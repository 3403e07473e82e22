from __future__ import annotations

import gzip
import hashlib
import json

import msgspec
import pytest

from gossamer.adapters.warc import file_member, request_members
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.audit.command import audit
from gossamer.entrypoints.audit.warc_file import KEPT, Unreadable
from tests.unit.entrypoints.audit.test_command import ask, kinds, rules, warc_of

X, Y = "http://a.test/x", "http://a.test/y"


class TestRecords:
    def test_a_response_without_its_metadata_is_a_violation(self, tmp_path):
        response, _ = request_members(*ask(X, 100.0))

        certificate = audit([warc_of(tmp_path, rules(), response, ask(Y, 110.0))])

        (violation,) = certificate.listed
        assert (violation.kind, violation.host) == ("incomplete", "a.test")
        assert (violation.url, violation.at) == (X, 100.0)

    def test_a_metadata_record_without_its_response_is_a_violation(self, tmp_path):
        _, metadata = request_members(*ask(X, 100.0))

        assert kinds(audit([warc_of(tmp_path, rules(), metadata)])) == ["incomplete"]

    def test_records_of_different_requests_do_not_belong_together(self, tmp_path):
        response, _ = request_members(*ask(X, 100.0))
        _, metadata = request_members(*ask(Y, 100.0))

        certificate = audit([warc_of(tmp_path, rules(), response, metadata)])

        assert kinds(certificate) == ["incomplete", "incomplete"]

    def test_records_that_disagree_are_a_violation(self, tmp_path):
        response, facts = ask(X, 100.0)
        first, second = request_members(response, facts)
        forged = gzip.compress(gzip.decompress(second).replace(b"code: 200", b"code: 404"))

        certificate = audit([warc_of(tmp_path, rules(), first + forged)])

        assert kinds(certificate) == ["incomplete"]
        assert "disagrees" in certificate.listed[0].detail

    def test_a_request_that_no_status_line_answered_needs_no_response(self, tmp_path):
        silent = ask(X, 100.0, code=0, fault="timeout", body=b"")

        assert audit([warc_of(tmp_path, rules(), silent)]).violations == 0

    def test_without_its_robots_txt_a_page_was_asked_in_ignorance(self, tmp_path):
        _, metadata = request_members(*rules())

        certificate = audit([warc_of(tmp_path, metadata, ask(X, 100.0))])

        assert sorted(kinds(certificate)) == ["incomplete", "robots-unread"]


class TestAKill:
    @pytest.mark.parametrize("lost", [1, 8, 100])
    def test_that_cut_the_last_record_is_noted(self, tmp_path, lost):
        path = warc_of(tmp_path, rules(), ask(X, 100.0), ask(Y, 110.0))
        path.write_bytes(path.read_bytes()[:-lost])

        certificate = audit([path])

        assert (certificate.violations, certificate.requests) == (0, 2)
        assert any("ends within a record, at " in note for note in certificate.notes)

    def test_after_which_the_half_record_was_cut_off_is_noted(self, tmp_path):
        response, _ = request_members(*ask(X, 100.0))

        certificate = audit([warc_of(tmp_path, rules(), response)])

        assert certificate.violations == 0
        assert certificate.notes == [
            f"web-1.warc.gz ends before the facts of its last request, {X}"
        ]

    def test_before_the_first_record_leaves_an_empty_file(self, tmp_path):
        path = tmp_path / "empty.warc.gz"
        path.touch()

        assert audit([path]).notes == ["empty.warc.gz holds no records"]


class TestAFileThatCannotBeRead:
    def complaint(self, path):
        with pytest.raises(Unreadable) as caught:
            audit([path])
        return str(caught.value)

    def test_because_it_is_damaged_is_named_with_the_place(self, tmp_path):
        path = tmp_path / "web-1.warc.gz"
        first = file_member(path.name)
        second = bytearray(b"".join(request_members(*rules())))
        second[40] ^= 0xFF
        path.write_bytes(first + second)

        assert f"{path} at {len(first)}: " in self.complaint(path)

    def test_because_it_is_no_gzip(self, tmp_path):
        path = tmp_path / "plain.txt"
        path.write_text("hello")

        assert "plain.txt at 0: no gzip member" in self.complaint(path)

    def test_because_it_is_no_warc(self, tmp_path):
        path = tmp_path / "x.gz"
        path.write_bytes(gzip.compress(b"hello\r\n\r\n"))

        assert "x.gz at 0: no WARC record" in self.complaint(path)

    def test_because_another_program_wrote_it(self, tmp_path):
        path = tmp_path / "other.warc.gz"
        block = b"software: Wget\r\n"
        head = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: %d\r\n\r\n" % len(block)
        path.write_bytes(gzip.compress(head + block + b"\r\n\r\n"))

        assert "other.warc.gz at 0: not written by Gossamer" in self.complaint(path)

    @pytest.mark.parametrize("name", [b"startedAt", b"slot", b"delay", b"purpose", b"host"])
    def test_because_a_fact_is_missing(self, tmp_path, name):
        first, second = request_members(*ask(X, 100.0))
        record = gzip.decompress(second).replace(
            b"\r\n" + name + b":", b"\r\n" + b"x" * len(name) + b":"
        )

        path = warc_of(tmp_path, rules(), first + gzip.compress(record))

        assert "not the facts of a request" in self.complaint(path)

    @pytest.mark.parametrize("value", [b"nan", b"inf", b"-1.0", b"1e300", b"soon"])
    def test_because_a_number_is_none(self, tmp_path, value):
        first, second = request_members(*ask(X, 100.0))
        record = gzip.decompress(second).replace(b"100.000000", value.ljust(10))

        path = warc_of(tmp_path, rules(), first + gzip.compress(record))

        assert "not the facts of a request" in self.complaint(path)

    def test_because_a_record_is_not_as_long_as_it_says(self, tmp_path):
        first, _ = request_members(*ask(X, 100.0))
        record = gzip.decompress(first).replace(b"<p>hello", b"<p>hell")

        path = warc_of(tmp_path, rules(), gzip.compress(record))

        assert "not as long as it says" in self.complaint(path)

    def test_because_it_is_a_folder(self, tmp_path):
        assert "Is a directory" in self.complaint(tmp_path)


def test_a_body_of_any_length_is_passed_over(tmp_path):
    large = ask(X, 100.0, body=b"0123456789" * KEPT)

    certificate = audit([warc_of(tmp_path, rules(), large, ask(Y, 110.0))])

    assert (certificate.violations, certificate.requests) == (0, 3)


class TestTheCertificate:
    def test_names_its_files_exactly(self, tmp_path):
        path = warc_of(tmp_path, rules(), ask(X, 100.0))

        (file,) = audit([path]).warc_files

        assert file.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
        assert (file.name, file.bytes) == ("web-1.warc.gz", path.stat().st_size)
        assert (file.records, file.requests) == (5, 2)

    def test_says_what_was_asked_by_whom_and_when(self, tmp_path):
        sitemap = ask("http://a.test/map.xml", 100.0, purpose="sitemap")

        certificate = audit([warc_of(tmp_path, rules(), sitemap, ask(X, 3710.5))])

        assert certificate.by_purpose == {"page": 1, "robots": 1, "sitemap": 1}
        assert certificate.user_agents == {"Gossamer/0.1": 3}
        assert certificate.first_request == "1970-01-01T00:01:30.000Z"
        assert certificate.last_request == "1970-01-01T01:01:50.500Z"

    def test_says_of_each_host_under_which_rules_it_was_asked(self, tmp_path):
        text = "User-agent: *\nCrawl-delay: 2"
        pages = ask(X, 100.0, delay=2.0, max_delay=60.0), ask(Y, 103.0, delay=3.0, max_delay=60.0)

        (row,) = audit([warc_of(tmp_path, rules(text), *pages)]).by_host

        assert (row.host, row.requests, row.violations, row.worst) == ("a.test", 3, 0, "")
        assert (row.min_delay, row.max_delay) == (1.0, 3.0)
        assert (row.shortest_gap, row.min_gap_over_delay) == (3.0, 1.0)
        assert (row.robots_code, row.crawl_delay, row.disallowed) == (200, 2.0, 0)
        assert row.robots_sha256 == hashlib.sha256(text.encode()).hexdigest()
        assert row.robots_read == "1970-01-01T00:01:30.000Z"

    @pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999"])
    def test_knows_no_crawl_delay_that_is_no_number(self, tmp_path, value):
        asked = ask(X, 200.0, delay=60.0, max_delay=60.0)
        text = f"User-agent: *\nCrawl-delay: {value}"

        certificate = audit([warc_of(tmp_path, rules(text), asked)])

        assert (certificate.violations, certificate.by_host[0].crawl_delay) == (0, None)

    def test_puts_the_worst_host_first(self, tmp_path):
        polite = rules(host="a.test"), ask(X, 100.0)
        rude = rules("User-agent: *\nDisallow: /", host="b.test"), ask("http://b.test/", 100.0)

        rows = audit([warc_of(tmp_path, *polite, *rude)]).by_host

        assert [(row.host, row.worst) for row in rows] == [("b.test", "disallowed"), ("a.test", "")]
        assert rows[0].disallowed == 1

    def test_can_be_about_one_host(self, tmp_path):
        rude = rules("User-agent: *\nDisallow: /", host="b.test"), ask("http://b.test/", 100.0)
        path = warc_of(tmp_path, rules(), ask(X, 100.0), *rude)

        certificate = audit([path], host="a.test")

        assert (certificate.host, certificate.requests, certificate.violations) == ("a.test", 2, 0)
        assert [row.host for row in certificate.by_host] == ["a.test"]

    def test_of_one_host_knows_rules_that_lie_elsewhere(self, tmp_path):
        moved = rules(code=301, headers=[("Location", "http://b.test/rules")])
        found = rules("User-agent: *\nDisallow: /x", url="http://b.test/rules", at=95.0)

        certificate = audit([warc_of(tmp_path, moved, found, ask(X, 100.0))], host="a.test")

        assert (certificate.requests, kinds(certificate)) == (2, ["disallowed"])

    def test_of_a_host_that_was_never_asked_is_refused(self, tmp_path):
        with pytest.raises(ConfigurationError, match=r"no request to b\.test"):
            audit([warc_of(tmp_path, rules())], host="b.test")

    def test_is_the_same_for_the_same_files_wherever_they_lie(self, tmp_path):
        (there := tmp_path / "there").mkdir()
        one = warc_of(tmp_path, rules(), name="1.warc.gz")
        two = warc_of(tmp_path, ask(X, 100.0), name="2.warc.gz")
        moved = [there / path.name for path in (two, one)]
        for path in moved:
            path.write_bytes((tmp_path / path.name).read_bytes())

        assert audit([one, two]) == audit(moved)

    def test_has_a_digest_that_anybody_can_work_out(self, tmp_path):
        certificate = audit([warc_of(tmp_path, rules(), ask("http://a.test/%C3%BC", 100.25))])

        rest = json.loads(msgspec.json.encode(certificate))
        signed = rest.pop("sha256")
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert hashlib.sha256(text.encode()).hexdigest() == signed

    def test_has_another_digest_for_other_requests(self, tmp_path):
        first = audit([warc_of(tmp_path, rules(), ask(X, 100.0))])
        second = audit([warc_of(tmp_path, rules(), ask(X, 100.5))])

        assert first.sha256 != second.sha256
