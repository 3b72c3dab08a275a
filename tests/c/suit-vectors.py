#!/usr/bin/env python3
"""Writes tests/c/suit_vectors.h: SUIT envelopes, and what the device must say of each.

usage: tests/c/suit-vectors.py [--check]
  --check   compare with the file in the tree, and fail if it differs

The envelopes come from examples/VerifyImage/sign.py and the Python package cryptography, which share no code with
the device library. The secret is that of [RFC8032, 7.1], test 1.
"""

import importlib.util
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUT = ROOT / "tests/c/suit_vectors.h"
spec = importlib.util.spec_from_file_location("sign", ROOT / "examples/VerifyImage/sign.py")
sys.dont_write_bytecode = True
sign = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sign)
cbor, Tag = sign.cbor, sign.Tag

SECRET = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
key = sign.Ed25519PrivateKey.from_private_bytes(SECRET)
other = sign.Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
IMAGE = bytes(range(200))
VENDOR, CLASS = sign.ids("vendor.invalid", "device")


class Raw:
    """Bytes that stand in CBOR as they are."""

    def __init__(self, data):
        self.data = data


def encode(value):
    """sign.cbor, and Raw inside lists and maps."""
    if isinstance(value, Raw):
        return value.data
    if isinstance(value, (list, tuple)):
        return sign.head(4, len(value)) + b"".join(map(encode, value))
    if isinstance(value, dict):
        return sign.head(5, len(value)) + b"".join(encode(k) + encode(v) for k, v in value.items())
    if isinstance(value, Tag):
        return sign.head(6, value.number) + encode(value.value)
    return cbor(value)


def parameters(**changes):
    found = {1: VENDOR, 2: CLASS, 3: sign.digest_of(IMAGE), 14: len(IMAGE)}
    for name, value in changes.items():
        found[int(name[1:])] = value
    return {number: value for number, value in sorted(found.items()) if value != ""}


def manifest(shared=None, components=None, common=None, **changes):
    shared = [20, parameters(), 1, 15, 2, 15] if shared is None else shared
    common = common or {2: components or [[b"\0"]], 4: encode(shared)}
    found = {1: 1, 2: 9, 3: encode(common), 7: cbor([3, 15])}
    for name, value in changes.items():
        found[int(name[1:])] = value
    return encode({number: value for number, value in sorted(found.items()) if value != ""})


def block(digest, by=key, algorithm=sign.EDDSA, protected=None, unprotected=None, payload=None, tag=18):
    protected = cbor({1: algorithm}) if protected is None else protected
    signature = by.sign(cbor(["Signature1", protected, b"", digest]))
    return encode(Tag(tag, [protected, unprotected or {}, payload, signature]))


def envelope(content, blocks=None, digest=None, tag=True, before=(), after=(), count=None):
    digest = digest or sign.digest_of(cbor(content))
    blocks = blocks or (lambda digest: [block(digest)])
    signed = [digest] + blocks(digest)
    signed = sign.head(4, count or len(signed)) + b"".join(map(encode, signed))
    members = list(before) + [(2, signed), (3, content)] + list(after)
    found = sign.head(5, len(members)) + b"".join(encode(k) + encode(v) for k, v in members)
    return sign.head(6, 107) + found if tag else found


def doubled(content, number):
    """A map with its entry `number` once more at the end."""
    return sign.head(5, 5) + content[1:] + cbor(number) + cbor(1)


plain = manifest()
deep = Raw(b"\x81" * 500 + b"\x00")
SHA_512_256 = cbor([-17, bytes(32)])
both = [20, parameters(), 20, {3: sign.digest_of(b"other")}]
CASES = [
    ("the least", "OK", envelope(plain)),
    ("no tag", "OK", envelope(plain, tag=False)),
    ("no ids", "OK", envelope(manifest([20, parameters(_1="", _2="")]))),
    ("an empty image", "OK", envelope(manifest([20, parameters(_14=0)]))),
    ("the greatest sequence", "OK", envelope(manifest(_2=2**32 - 1))),
    ("the fully specified name", "OK", envelope(plain, lambda d: [block(d, algorithm=-19)])),
    ("a key id", "OK", envelope(plain, lambda d: [block(d, unprotected={4: b"kid", -70000: [1, {2: Tag(5, "x")}]})])),
    ("another author first", "OK", envelope(plain, lambda d: [block(d, by=other), block(d)])),
    ("another algorithm first", "OK", envelope(plain, lambda d: [block(d, algorithm=-7), block(d)])),
    ("an unknown block first", "OK", envelope(plain, lambda d: [cbor(7), block(d)])),
    ("a payload in the envelope", "OK", envelope(plain, after=[("#image", IMAGE)])),
    ("members before", "OK", envelope(plain, before=[("#a", b""), (-5, deep)])),
    ("other sequences", "OK", envelope(manifest(_5="uri", _9=cbor([23, 2]), _20=cbor([20, {21: "coap://x"}, 21, 2])))),
    ("component 0", "OK", envelope(manifest([12, 0, 20, parameters()]))),
    ("all components", "OK", envelope(manifest([12, True, 20, parameters()]))),
    ("parameters in two commands", "OK", envelope(manifest([20, {1: VENDOR, 2: CLASS}, 1, 15, 20, parameters(_1="", _2="")]))),
    ("a name of three parts", "OK", envelope(manifest(components=[[b"flash", b"", b"slot"]]))),
    ("another author", "TAG", envelope(plain, lambda d: [block(d, by=other)])),
    ("the name of another algorithm", "TAG", envelope(plain, lambda d: [block(d, algorithm=-7)])),
    ("a payload in the signature", "TAG", envelope(plain, lambda d: [block(d, payload=d)])),
    ("a further protected parameter", "TAG", envelope(plain, lambda d: [block(d, protected=cbor({1: -8, 4: b"k"}))])),
    ("a byte after the protected parameters", "TAG", envelope(plain, lambda d: [block(d, protected=cbor({1: -8}) + b"\0")])),
    ("no protected parameters", "TAG", envelope(plain, lambda d: [block(d, protected=b"")])),
    ("a byte after the signature", "TAG", envelope(plain, lambda d: [block(d) + b"\0"])),
    ("another kind of block", "TAG", envelope(plain, lambda d: [block(d, tag=17)])),
    ("a signature of another digest", "TAG", envelope(plain, lambda d: [block(sign.digest_of(b"x"))])),
    ("the digest of another manifest", "TAG", envelope(plain, digest=sign.digest_of(cbor(manifest(_2=8))))),
    ("a digest without the head", "TAG", envelope(plain, digest=sign.digest_of(plain))),
    ("three wrong signatures first", "TAG", envelope(plain, lambda d: [block(d, by=other)] * 3 + [block(d)])),
    ("no signature", "ARGUMENT", envelope(plain, lambda d: [])),
    ("version 2", "ARGUMENT", envelope(manifest(_1=2))),
    ("no version", "ARGUMENT", envelope(manifest(_1=""))),
    ("no sequence", "ARGUMENT", envelope(manifest(_2=""))),
    ("a sequence of 33 bits", "ARGUMENT", envelope(manifest(_2=2**32))),
    ("a negative sequence", "ARGUMENT", envelope(manifest(_2=-1))),
    ("two components", "ARGUMENT", envelope(manifest(components=[[b"\0"], [b"\1"]]))),
    ("a name that is text", "ARGUMENT", envelope(manifest(components=[["a"]]))),
    ("dependencies", "ARGUMENT", envelope(manifest(common={1: {0: {}}, 2: [[b"\0"]], 4: encode([20, parameters()])}))),
    ("no shared sequence", "ARGUMENT", envelope(manifest(common={2: [[b"\0"]]}))),
    ("try each", "ARGUMENT", envelope(manifest([15, [b"\x80"], 20, parameters()]))),
    ("component 1", "ARGUMENT", envelope(manifest([12, 1, 20, parameters()]))),
    ("an odd sequence", "ARGUMENT", envelope(manifest([20, parameters(), 1]))),
    ("an address in the shared sequence", "ARGUMENT", envelope(manifest([20, parameters(_21="coap://x")]))),
    ("no digest", "ARGUMENT", envelope(manifest([20, parameters(_3="")]))),
    ("no size", "ARGUMENT", envelope(manifest([20, parameters(_14="")]))),
    ("SHA-512", "ARGUMENT", envelope(manifest([20, parameters(_3=cbor([-44, bytes(64)]))]))),
    ("a short vendor", "ARGUMENT", envelope(manifest([20, parameters(_1=VENDOR[1:])]))),
    ("a check of a vendor that is not named", "ARGUMENT", envelope(manifest([1, 15, 20, parameters()]))),
    ("a digest that is set twice", "ARGUMENT", envelope(manifest(both))),
    ("a size that is set twice", "ARGUMENT", envelope(manifest([20, parameters(), 20, {14: 5}]))),
    ("another hash of 32 bytes", "ARGUMENT", envelope(manifest([20, parameters(_3=SHA_512_256)]))),
    ("another hash of the manifest", "ARGUMENT", envelope(plain, digest=SHA_512_256)),
    ("bytes after the signatures", "ARGUMENT", envelope(plain, lambda d: [block(d), Raw(b"\0")], count=2)),
    ("a key twice", "ARGUMENT", envelope(doubled(plain, 2))),
    ("keys in disorder", "ARGUMENT", envelope(b"\xa4" + plain[3:5] + plain[1:3] + plain[5:])),
    ("a number in a longer form", "ARGUMENT", envelope(manifest(_2=Raw(b"\x18\x09")))),
    ("a number in a much longer form", "ARGUMENT", envelope(manifest(_2=Raw(b"\x1a\0\0\0\x09")))),
    ("a string of indefinite length", "ARGUMENT", envelope(manifest(_5=Raw(b"\x7f\x61a\xff")))),
    ("an array that is too long", "ARGUMENT", envelope(manifest(_30=Raw(b"\x9a\xff\xff\xff\xff")))),
    ("a map that is too long", "ARGUMENT", envelope(manifest(_30=Raw(b"\xba\x80\0\0\0")))),
    ("a string that is too long", "ARGUMENT", envelope(manifest(_30=Raw(b"\x5a\xff\xff\xff\xff")))),
    ("bytes after the manifest", "ARGUMENT", envelope(plain + b"\0")),
    ("bytes after the envelope", "ARGUMENT", envelope(plain) + b"\0"),
    ("another tag", "ARGUMENT", sign.head(6, 108) + envelope(plain, tag=False)),
    ("two manifests", "ARGUMENT", envelope(plain, after=[(3, plain)])),
    ("no manifest", "ARGUMENT", cbor(Tag(107, {2: cbor([sign.digest_of(b""), block(sign.digest_of(b""))])}))),
    ("nothing", "ARGUMENT", b""),
]


def main():
    lines = [
        "/* SUIT envelopes, and what the device must say of each. Written by tests/c/suit-vectors.py. */",
        "static const uint8_t author[32] = {",
        sign.array(sign.public_bytes(key)),
        "};",
        "static const uint8_t vendor[16] = {",
        sign.array(VENDOR),
        "};",
        "static const uint8_t kind[16] = {",
        sign.array(CLASS),
        "};",
        "static const struct { const char *name, *envelope; size_t size; enum selo_status status; } cases[] = {",
    ]
    for name, status, data in CASES:
        text = "".join(f"\\x{byte:02x}" for byte in data)
        rows = [text[at : at + 96] for at in range(0, len(text), 96)] or [""]
        joined = "\n     ".join(f'"{row}"' for row in rows)
        lines.append(f'    {{"{name}",\n     {joined},\n     {len(data)}, SELO_{"OK" if status == "OK" else "ERROR_" + status}}},')
    lines.append("};\n")
    text = "\n".join(lines)
    if sys.argv[1:] == ["--check"]:
        if OUT.read_text() != text:
            sys.exit(f"suit-vectors: {OUT.relative_to(ROOT)} is not what this script writes; run it without --check")
        print(f"{len(CASES)} passed, 0 failed")
        return
    OUT.write_text(text)


if __name__ == "__main__":
    main()
