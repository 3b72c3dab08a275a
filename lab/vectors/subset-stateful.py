#!/usr/bin/env python3
"""Writes the vectors of LMS, HSS and XMSS that stand in stateful/.

usage: subset-stateful.py SET FILE

FILE is a known answer of liboqs, of its folder tests/KATs/sig_stfl, with msg, sm and pk. The signature is
written as it is, and altered: an altered one must be refused. README.md says where each comes from.
"""

import pathlib
import sys

from rsp import alone, flipped

# Where parts of a signature begin: in a signature of LMS after those of the levels above it.
ONE_TIME = {"h10-w4": 4 + 32 + 67 * 32, "h5-w8": 4 + 32 + 34 * 32}


def places(name):
    """A byte of each part of a signature, by name."""
    if name.startswith("xmss"):
        return {"AlteredIndex": 3, "AlteredRandomiser": 4, "AlteredOneTimeSignature": 36,
                "AlteredTreePath": 36 + 67 * 32, "AlteredLastByte": 2499}
    levels = 2 if name.startswith("hss") else 1
    one_time = ONE_TIME["h10-w4" if "h10" in name else "h5-w8"]
    height = 10 if "h10" in name else 5
    size = 4 + one_time + 4 + 32 * height
    found = {"AlteredLevels": 3, "AlteredLeaf": 4 + 3, "AlteredTypeOfOneTime": 8 + 3,
             "AlteredRandomiser": 12, "AlteredOneTimeSignature": 12 + 32,
             "AlteredType": 4 + 4 + one_time + 3, "AlteredTreePath": 4 + size - 1}
    if levels == 2:
        second = 4 + size
        found |= {"AlteredKeyBelow": second + 20, "AlteredLeafBelow": second + 60 - 4 + 3,
                  "AlteredOneTimeSignatureBelow": second + 56 + 12 + 32}
    return found


def main():
    name, path = sys.argv[1], pathlib.Path(sys.argv[2])
    found = {}
    for line in path.read_text().splitlines():
        key, _, value = line.partition(" = ")
        if key in ("msg", "sm", "pk"):
            found.setdefault(key, bytes.fromhex(value))
    message, signature, public = found["msg"], found["sm"], found["pk"]
    print(f"# {name}, written by subset-stateful.py (README.md)")
    values = {"pk": public, "msg": message, "sig": signature}
    alone("verify", 1, values)
    changes = {
        "AlteredMessage": {"msg": flipped(message, 0)},
        "ShortMessage": {"msg": message[:-1]},
        "LongMessage": {"msg": message + b"\0"},
        "ShortSignature": {"sig": signature[:-1]},
        "AlteredRoot": {"pk": flipped(public, 35 if name.startswith("xmss") else len(public) - 1)},
        "AlteredSeed": {"pk": flipped(public, len(public) - 1 if name.startswith("xmss") else 12)},
    }
    changes |= {flag: {"sig": flipped(signature, place)} for flag, place in places(name).items()}
    for number, (flag, change) in enumerate(changes.items(), 2):
        alone("verify", number, {**values, **change}, flag)


if __name__ == "__main__":
    main()
