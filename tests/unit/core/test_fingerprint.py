from gossamer.core.fingerprint import FINGERPRINT_BYTES, fingerprint


def test_a_fingerprint_is_the_md5_of_the_body():
    assert fingerprint(b"").hex() == "d41d8cd98f00b204e9800998ecf8427e"


def test_a_changed_byte_changes_the_fingerprint():
    assert fingerprint(b"a") != fingerprint(b"b")
    assert len(fingerprint(b"a" * 1000)) == FINGERPRINT_BYTES
