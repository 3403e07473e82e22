"""Web Bot Auth: requests are signed, so that owners of sites can verify who crawls them.

HTTP Message Signatures (RFC 9421) by an Ed25519 key over the host that is asked and the address of
the key directory. The directory is a JSON Web Key Set at a well-known address; a key's name is its
thumbprint (RFC 7638). The profile is draft-ietf-webbotauth-httpsig-protocol.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode, urlsafe_b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DIRECTORY_PATH: Final = "/.well-known/http-message-signatures-directory"
DIRECTORY_TYPE: Final = "application/http-message-signatures-directory+json"
LABEL: Final = "sig1"
REQUEST_TAG: Final = "web-bot-auth"
DIRECTORY_TAG: Final = "http-message-signatures-directory"
# Seconds. Clocks differ, and a request may wait for its connection; the draft allows a day.
VALID: Final = 300
DIRECTORY_VALID: Final = 86_400
NONCE_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Signer:
    """A key that signs, and where its directory is."""

    public_key: bytes  # 32 bytes
    sign: Callable[[bytes], bytes]
    agent: str = ""  # the origin that serves the directory, as https://search.example.org

    @property
    def key_id(self) -> str:
        """The thumbprint of the key."""
        members = {"crv": "Ed25519", "kty": "OKP", "x": _unpadded(self.public_key)}
        canonical = json.dumps(members, separators=(",", ":"), sort_keys=True).encode()
        return _unpadded(hashlib.sha256(canonical).digest())

    def request_headers(self, authority: str, now: float, nonce: bytes) -> dict[str, str]:
        """What is added to a request to a host; `nonce` is random: servers may refuse repeats."""
        agent = f'"{self.agent}"'
        covered = (("@authority", "", authority), ("signature-agent", f';key="{LABEL}"', agent))
        signed = self._signed(covered, REQUEST_TAG, now, VALID, nonce)
        return {"Signature-Agent": f"{LABEL}={agent}", **signed}

    def directory(self) -> bytes:
        """The key set."""
        key = {
            "kty": "OKP",
            "crv": "Ed25519",
            "kid": self.key_id,
            "x": _unpadded(self.public_key),
            "use": "sig",
            "alg": "EdDSA",
        }
        return json.dumps({"keys": [key]}).encode()

    def directory_headers(self, authority: str, now: float, nonce: bytes) -> dict[str, str]:
        """What proves that the directory of a host is served by the holder of the key."""
        covered = (("@authority", ";req", authority),)
        return self._signed(covered, DIRECTORY_TAG, now, DIRECTORY_VALID, nonce)

    def _signed(
        self,
        covered: Sequence[tuple[str, str, str]],
        tag: str,
        now: float,
        valid: int,
        nonce: bytes,
    ) -> dict[str, str]:
        names = " ".join([f'"{name}"{flags}' for name, flags, _ in covered])
        created = int(now)
        parameters = (
            f'({names});created={created};expires={created + valid};keyid="{self.key_id}"'
            f';alg="ed25519";nonce="{b64encode(nonce).decode()}";tag="{tag}"'
        )
        lines = [f'"{name}"{flags}: {value}' for name, flags, value in covered]
        base = "\n".join([*lines, f'"@signature-params": {parameters}'])
        signature = b64encode(self.sign(base.encode())).decode()
        return {
            "Signature-Input": f"{LABEL}={parameters}",
            "Signature": f"{LABEL}=:{signature}:",
        }


def _unpadded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
