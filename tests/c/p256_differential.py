#!/usr/bin/env python3
"""Compares P-256 with OpenSSL's, by way of Python's package cryptography, on random inputs.

usage: p256_differential.py LIBRARY [--cases N]

LIBRARY is a shared library of src/selo. A case is two key pairs, a secret that they share, a deterministic
signature [RFC6979], and altered keys and signatures, on which both must agree. Some secrets and
digests are small, or near the order.
"""

import argparse
import ctypes
import hashlib
import random
import sys

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
CURVE = ec.SECP256R1()
OK, ERROR_KEY, ERROR_TAG = 0, 5, 6
DIGEST = utils.Prehashed(hashes.SHA256())


class Selo:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def call(self, name, size, *inputs):
        """The status of a function, and its output of `size` bytes."""
        output = ctypes.create_string_buffer(size)
        return getattr(self.library, f"selo_p256_{name}")(output, *inputs), output.raw

    def verify(self, signature, public_key, digest):
        return self.library.selo_p256_verify_digest(signature, public_key, digest)


def encoded(public_key):
    numbers = public_key.public_numbers()
    return numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big")


def their_key(public_key):
    """OpenSSL's public key of 64 bytes, or None if it refuses them."""
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(CURVE, b"\x04" + public_key)
    except ValueError:
        return None


def their_verdict(signature, public_key, digest):
    key = their_key(public_key)
    if key is None:
        return ERROR_KEY
    numbers = [int.from_bytes(signature[i:i + 32], "big") for i in (0, 32)]
    try:
        key.verify(utils.encode_dss_signature(*numbers), digest, ec.ECDSA(DIGEST))
    except InvalidSignature:
        return ERROR_TAG
    return OK


def their_signature(key, digest):
    """None where OpenSSL or the package is too old to sign without a random number."""
    try:
        der = key.sign(digest, ec.ECDSA(DIGEST, deterministic_signing=True))
    except (TypeError, UnsupportedAlgorithm):
        return None
    return b"".join(number.to_bytes(32, "big") for number in utils.decode_dss_signature(der))


def secret_of(numbers):
    kind = numbers.randrange(8)
    if kind == 0:
        return numbers.randrange(1, 2**numbers.randrange(2, 40))
    if kind == 1:
        return ORDER - numbers.randrange(1, 2**numbers.randrange(2, 40))
    return numbers.randrange(1, ORDER)


def digest_of(numbers):
    kind = numbers.randrange(8)
    if kind == 0:
        return numbers.choice((0, 1, ORDER - 1, ORDER, ORDER + 1, 2**256 - 1)).to_bytes(32, "big")
    return hashlib.sha256(numbers.randbytes(20)).digest()


def altered(data, numbers):
    changed = bytearray(data)
    changed[numbers.randrange(len(changed))] ^= 1 << numbers.randrange(8)
    return bytes(changed)


def check_case(selo, numbers):
    """What is wrong."""
    wrong = []
    secrets = [secret_of(numbers) for _ in range(2)]
    keys = [ec.derive_private_key(secret, CURVE) for secret in secrets]
    own, peer = (encoded(key.public_key()) for key in keys)
    secret = secrets[0].to_bytes(32, "big")
    if selo.call("keygen", 64, secret) != (OK, own):
        wrong.append("keygen")
    if selo.call("shared_secret", 32, secret, peer) != (OK, keys[0].exchange(ec.ECDH(), keys[1].public_key())):
        wrong.append("shared_secret")
    digest = digest_of(numbers)
    status, signature = selo.call("sign_digest", 64, secret, digest)
    if status != OK or their_signature(keys[0], digest) not in (signature, None):
        wrong.append("sign_digest")
    other = altered(peer, numbers)
    if (selo.library.selo_p256_check(other) == OK) != (their_key(other) is not None):
        wrong.append("check")
    for case in ((signature, own, digest), (altered(signature, numbers), own, digest), (signature, altered(own, numbers), digest),
                 (signature, own, altered(digest, numbers)), (signature, peer, digest)):
        if selo.verify(*case) != their_verdict(*case):
            wrong.append(f"verify_digest of {[part.hex() for part in case]}")
    return [f"secrets {secrets}, digest {digest.hex()}: {name}" for name in wrong]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--cases", type=int, default=300)
    arguments = parser.parse_args()
    selo, numbers = Selo(arguments.library), random.Random("p256")
    failed = 0
    for _ in range(arguments.cases):
        wrong = check_case(selo, numbers)
        failed += bool(wrong)
        for reason in wrong:
            print(reason, file=sys.stderr)
    print(f"P-256 beside OpenSSL: {arguments.cases - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
