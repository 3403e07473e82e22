"""Web Bot Auth, against RFC 9421's own test key and a verifier that shares no code with ours."""

import json
import re
from base64 import b64decode, urlsafe_b64decode

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from gossamer.core.bot_auth import Signer

# RFC 9421, appendix B.1.4: test-key-ed25519; the thumbprint is that of the drafts of Web Bot Auth.
PRIVATE = urlsafe_b64decode("n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU=")
PUBLIC = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"
THUMBPRINT = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"
NONCE = bytes(32)


def make_signer(agent: str = "https://search.example") -> Signer:
    key = Ed25519PrivateKey.from_private_bytes(PRIVATE)
    return Signer(key.public_key().public_bytes_raw(), key.sign, agent)


def signature_base(headers: dict[str, str], components: dict[str, str]) -> bytes:
    """RFC 9421, 2.5: the covered components in their order, then the parameters."""
    _, _, parameters = headers["Signature-Input"].partition("=")
    names = re.findall(r'"[^"]+"(?:;[a-z]+(?:="[^"]*")?)*', parameters[: parameters.index(")")])
    lines = [f"{name}: {components[name]}" for name in names]
    return "\n".join([*lines, f'"@signature-params": {parameters}']).encode()


def signature_of(headers: dict[str, str], components: dict[str, str]) -> tuple[bytes, bytes]:
    """The signature, and what it signs."""
    found = re.fullmatch(r"sig1=:([A-Za-z0-9+/=]+):", headers["Signature"])
    assert found
    return b64decode(found[1]), signature_base(headers, components)


def verify(headers: dict[str, str], components: dict[str, str]) -> None:
    public = Ed25519PublicKey.from_public_bytes(urlsafe_b64decode(PUBLIC + "="))
    public.verify(*signature_of(headers, components))


def test_a_key_is_named_by_its_thumbprint():
    assert make_signer().key_id == THUMBPRINT


def test_a_signed_request_can_be_verified_by_its_host_and_the_agent():
    headers = make_signer().request_headers("www.example.org:8443", 1000.9, NONCE)

    assert headers["Signature-Agent"] == 'sig1="https://search.example"'
    components = {
        '"@authority"': "www.example.org:8443",
        '"signature-agent";key="sig1"': '"https://search.example"',
    }
    verify(headers, components)
    with pytest.raises(InvalidSignature):
        verify(headers, components | {'"@authority"': "other.example.org"})
    with pytest.raises(InvalidSignature):
        verify(headers, components | {'"signature-agent";key="sig1"': '"https://evil.example"'})


def test_a_signature_says_when_it_was_made_and_until_when_it_counts():
    said = make_signer().request_headers("a.test", 1000.9, NONCE)["Signature-Input"]

    assert ";created=1000;expires=1300;" in said
    assert f';keyid="{THUMBPRINT}"' in said
    assert said.endswith(';tag="web-bot-auth"')


def test_the_directory_has_the_public_key_and_nothing_of_the_private_one():
    [key] = json.loads(make_signer().directory())["keys"]

    assert key == {
        "kty": "OKP", "crv": "Ed25519", "kid": THUMBPRINT, "x": PUBLIC,
        "use": "sig", "alg": "EdDSA",
    }  # fmt: skip


def test_the_directory_is_signed_for_the_host_that_serves_it():
    headers = make_signer().directory_headers("search.example", 1000.0, NONCE)

    verify(headers, {'"@authority";req': "search.example"})
    assert headers["Signature-Input"].endswith(';tag="http-message-signatures-directory"')
