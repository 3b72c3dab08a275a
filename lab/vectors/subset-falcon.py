#!/usr/bin/env python3
"""Writes the vectors of Falcon (round 3) that stand in falcon/.

usage: subset-falcon.py kat SET FILE      the first known answer of the submission
       subset-falcon.py altered SET FILE  its signature, altered: each must be refused

SET is 512 or 1024. FILE is what PQClean's nistkat prints for the set, and its digest must be the one that
PQClean publishes. README.md says how it is made. The random bytes of key pair and signature are those
that the generator of NIST's known answers gives from the seed.
"""

import hashlib
import pathlib
import sys

from drbg import Generator
from rsp import alone, flipped

# nistkat-sha256 in META.yml of the schemes.
DIGESTS = {
    "512": "da27fe8a462de7307ddf1f9b00072a457d9c5b14e838c148fbe2662094b9a2ca",
    "1024": "e699d88eb214fef30597385f40814baeb84ac505d5f05f5c257b0726fc4530b8",
}

NONCE, SEED = 40, 48


def read(name, path):
    text = path.read_bytes()
    if hashlib.sha256(text).hexdigest() != DIGESTS[name]:
        sys.exit(f"{path} is not the published known answer")
    lines = [line.split(" = ") for line in text.decode().splitlines()]
    found = {name: value for name, value in lines}
    message, signed = bytes.fromhex(found["msg"]), bytes.fromhex(found["sm"])
    # Size of the value, nonce, message, value. The value of a signature that stands alone begins with
    # 0x30 in place of 0x20, and comes before the nonce.
    nonce, value = signed[2:2 + NONCE], signed[2 + NONCE + len(message):]
    signature = bytes([value[0] + 0x10]) + nonce + value[1:]
    return bytes.fromhex(found["seed"]), message, bytes.fromhex(found["pk"]), bytes.fromhex(found["sk"]), signature


def kat(name, path):
    seed, message, public, private, signature = read(name, path)
    generator = Generator(seed)
    key_pair = generator.draw(SEED)
    random = generator.draw(NONCE) + generator.draw(SEED)
    alone("keyGen", 0, {"seed": key_pair, "pk": public, "sk": private})
    alone("sign", 0, {"pk": public, "sk": private, "msg": message, "rnd": random, "sig": signature})


def altered(name, path):
    _, message, public, _, signature = read(name, path)
    values = {"pk": public, "msg": message, "sig": signature}
    alone("verify", 1, values)
    changes = {
        "AlteredMessage": {"msg": flipped(message, 0)},
        "AlteredLastByteOfMessage": {"msg": flipped(message, len(message) - 1)},
        "ShortMessage": {"msg": message[:-1]},
        "LongMessage": {"msg": message + b"\0"},
        "EmptyMessage": {"msg": b""},
        "AlteredHeader": {"sig": flipped(signature, 0)},
        "AlteredNonce": {"sig": flipped(signature, 1)},
        "AlteredFirstCoefficient": {"sig": flipped(signature, 1 + NONCE)},
        "AlteredCoefficient": {"sig": flipped(signature, 1 + NONCE + 300)},
        "OtherSign": {"sig": flipped(signature, 1 + NONCE, 0x80)},
        "ShortSignature": {"sig": signature[:-1]},
        "LongSignature": {"sig": signature + b"\0"},
        "AlteredKey": {"pk": flipped(public, 100)},
        "AlteredHeaderOfKey": {"pk": flipped(public, 0)},
    }
    for number, (flag, change) in enumerate(changes.items(), 2):
        alone("verify", number, {**values, **change}, flag)


def main():
    source, name, path = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    print(f"# Falcon-{name} (round 3), written by subset-falcon.py (README.md)")
    {"kat": kat, "altered": altered}[source](name, path)


if __name__ == "__main__":
    main()
