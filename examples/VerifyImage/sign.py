#!/usr/bin/env python3
"""Makes keys and signed manifests for images, as the sketch VerifyImage and selo_suit.h verify them.

usage: sign.py key FILE                       draw a key pair; FILE is secret, the public key is printed
       sign.py manifest KEY IMAGE OUT OPTIONS sign a manifest of the file IMAGE, and write it to OUT
  --sequence N     greater than that of every earlier image (default: seconds since 1970)
  --vendor NAME    your domain's name (default: vendor.invalid)
  --class NAME     the kind of device (default: device)
       sign.py ids --vendor NAME --class NAME     print the two ids that the device compares
       sign.py array FILE...                      print files as arrays of C

A manifest is SUIT's minimal set [draft-ietf-suit-manifest]: one image, its SHA-256 digest and size, the ids of
vendor and class, a sequence number; signed by Ed25519. Needs Debian's python3-cryptography.
"""

import argparse
import hashlib
import os
import sys
import time
import uuid

try:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
except ImportError:
    sys.exit("sign.py: the Python package cryptography is missing; install it: apt-get install python3-cryptography")

SHA_256, EDDSA = -16, -8


class Tag:
    def __init__(self, number, value):
        self.number, self.value = number, value


def head(major, number):
    for size, info in ((0, None), (1, 24), (2, 25), (4, 26), (8, 27)):
        if size == 0 and number < 24:
            return bytes([major << 5 | number])
        if size and number < 1 << 8 * size:
            return bytes([major << 5 | info]) + number.to_bytes(size, "big")
    raise ValueError("a number of more than 64 bits")


def cbor(value):
    """Encodes a value in CBOR, in its shortest form [RFC8949, 4.2.1]. Keys stand in the order given."""
    if value is None:
        return b"\xf6"
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, (list, tuple)):
        return head(4, len(value)) + b"".join(map(cbor, value))
    if isinstance(value, dict):
        return head(5, len(value)) + b"".join(cbor(key) + cbor(of) for key, of in value.items())
    if isinstance(value, Tag):
        return head(6, value.number) + cbor(value.value)
    raise TypeError(type(value))


def ids(vendor, kind):
    """The ids of a vendor and a class of devices [RFC9562, 5.5]."""
    vendor_id = uuid.uuid5(uuid.NAMESPACE_DNS, vendor)
    return vendor_id.bytes, uuid.uuid5(vendor_id, kind).bytes


def digest_of(data):
    return cbor([SHA_256, hashlib.sha256(data).digest()])


def manifest_of(image, sequence, vendor_id, class_id):
    """The manifest of an image, encoded."""
    parameters = {1: vendor_id, 2: class_id, 3: digest_of(image), 14: len(image)}
    shared = [20, parameters, 1, 15, 2, 15]
    common = {2: [[b"\x00"]], 4: cbor(shared)}
    return cbor({1: 1, 2: sequence, 3: cbor(common), 7: cbor([3, 15])})


def envelope_of(manifest, sign, algorithm=EDDSA):
    """The manifest with a signature by `sign` [RFC9052, 4.4]."""
    wrapped = cbor(manifest)
    digest = digest_of(wrapped)
    protected = cbor({1: algorithm})
    signature = sign(cbor(["Signature1", protected, b"", digest]))
    block = cbor(Tag(18, [protected, {}, None, signature]))
    return cbor(Tag(107, {2: cbor([digest, block]), 3: manifest}))


def public_bytes(key):
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def array(data):
    rows = [data[at : at + 16] for at in range(0, len(data), 16)]
    return ",\n".join("  " + ", ".join(f"0x{byte:02x}" for byte in row) for row in rows)


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        sys.exit(f"sign.py: cannot read {path}: {error.strerror}")


def write_new(path, data, mode):
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except OSError as error:
        sys.exit(f"sign.py: cannot write {path}: {error.strerror}")
    with os.fdopen(file, "wb") as out:
        out.write(data)


def make_key(args):
    secret = os.urandom(32)
    write_new(args.file, secret, 0o600)
    print("The public key, for the device:")
    print(array(public_bytes(Ed25519PrivateKey.from_private_bytes(secret))))


def make_manifest(args):
    secret = read(args.key)
    if len(secret) != 32:
        sys.exit(f"sign.py: {args.key} is not a key: it has {len(secret)} bytes, not 32. To draw one: sign.py key FILE")
    if not 0 <= args.sequence < 1 << 32:
        sys.exit(f"sign.py: the sequence number {args.sequence} is not below 2^32")
    key = Ed25519PrivateKey.from_private_bytes(secret)
    manifest = manifest_of(read(args.image), args.sequence, *ids(args.vendor, args.kind))
    envelope = envelope_of(manifest, key.sign)
    write_new(args.out, envelope, 0o644)
    print(f"{args.out}: {len(envelope)} bytes, sequence {args.sequence}")


def print_ids(args):
    for name, value in zip(("vendor", "class"), ids(args.vendor, args.kind)):
        print(f"{name}:\n{array(value)}")


def print_arrays(args):
    for path in args.files:
        print(f"// {path}\n{array(read(path))}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], epilog=__doc__.split("\n\n", 1)[1], formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name, run, help_text, named=True):
        one = commands.add_parser(name, help=help_text)
        one.set_defaults(run=run)
        if named:
            one.add_argument("--vendor", default="vendor.invalid", metavar="NAME")
            one.add_argument("--class", dest="kind", default="device", metavar="NAME")
        return one

    command("key", make_key, "draw a key pair", named=False).add_argument("file", metavar="FILE")
    one = command("manifest", make_manifest, "sign a manifest of an image")
    for name in ("key", "image", "out"):
        one.add_argument(name, metavar=name.upper())
    one.add_argument("--sequence", type=int, default=int(time.time()), metavar="N")
    command("ids", print_ids, "print the ids that the device compares")
    command("array", print_arrays, "print files as arrays of C", named=False).add_argument("files", nargs="+", metavar="FILE")
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
