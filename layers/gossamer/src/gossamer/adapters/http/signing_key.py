"""Ed25519 keys as PEM, as `openssl genpkey -algorithm ed25519` writes them."""

from __future__ import annotations

from gossamer.core.bot_auth import Signer
from gossamer.core.errors import ConfigurationError


def read_signer(pem: bytes, agent: str) -> Signer:
    """The signer that a private key makes."""
    # Of those who sign no requests none needs the library.
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError as error:
        raise ConfigurationError(
            "signing requests needs another library: pip install 'gossamer[signing]'"
        ) from error
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError) as error:
        raise ConfigurationError(
            "the signing key cannot be read; `openssl genpkey -algorithm ed25519` makes one"
        ) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise ConfigurationError(
            "the signing key is of another kind; `openssl genpkey -algorithm ed25519` makes one"
        )
    return Signer(key.public_key().public_bytes_raw(), key.sign, agent)
