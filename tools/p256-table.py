#!/usr/bin/env python3
"""Writes src/selo/p256/p256_table.c, the multiples of the base point of P-256.

usage: tools/p256-table.py [--check]
  --check  write nothing; fail if the file differs from the result

It also computes that the comb's additions never meet equal points, as p256_base.c explains. The
arithmetic is affine and slow [SP800-186, 3.2.1.3].
"""

import itertools
import pathlib
import sys

COMBS = ((6, 43), (5, 52), (4, 64))  # teeth, their distance
CHUNK = 16
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
BASE = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
        0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)


def add(p, q):
    if p is None or q is None:
        return p or q
    (x1, y1), (x2, y2) = p, q
    if x1 == x2:
        if (y1 + y2) % P == 0:
            return None
        slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, P)
    else:
        slope = (y2 - y1) * pow(x2 - x1, -1, P)
    x = (slope * slope - x1 - x2) % P
    return x, (slope * (x1 - x) - y1) % P


def multiply(n, p):
    result = None
    while n:
        if n & 1:
            result = add(result, p)
        p, n = add(p, p), n >> 1
    return result


def entries(teeth, spacing):
    """x and y in Montgomery form of each sum of teeth, with the highest tooth positive."""
    tooth = [BASE]
    for _ in range(teeth - 1):
        tooth.append(multiply(2**spacing, tooth[-1]))
    for index in range(2 ** (teeth - 1)):
        point = tooth[-1]
        for t in range(teeth - 1):
            tx, ty = tooth[t]
            point = add(point, (tx, ty if index >> t & 1 else P - ty))
        yield b"".join((value * 2**256 % P).to_bytes(32, "little") for value in point)


def check_exceptions(teeth, spacing):
    """No odd M below n is 2 T - n or 2 T + n for the T of its own last column."""
    for signs in itertools.product((1, -1), repeat=teeth):
        column = sum(sign << spacing * tooth for tooth, sign in enumerate(signs))
        for number in (2 * column - ORDER, 2 * column + ORDER):
            if 0 < number < ORDER:
                bits = number // 2 + 2 ** (teeth * spacing - 1)
                own = tuple(1 if bits >> spacing * tooth & 1 else -1 for tooth in range(teeth))
                assert own != signs, (teeth, signs)


def text():
    assert (BASE[1] ** 2 - BASE[0] ** 3 + 3 * BASE[0] - B) % P == 0
    assert multiply(ORDER, BASE) is None
    lines = []
    for teeth, spacing in COMBS:
        check_exceptions(teeth, spacing)
        table = list(entries(teeth, spacing))
        scan = b"".join(entry[i:i + CHUNK] for i in range(0, 64, CHUNK) for entry in table)
        lines.append(f"#{'el' if lines else ''}if SELO_P256_TEETH == {teeth}")
        for i in range(0, len(scan), 16):
            lines.append("    " + " ".join(f"0x{byte:02x}," for byte in scan[i:i + 16]))
    lines.append("#endif")
    return """/*
 * Multiples of the base point of P-256. Written by tools/p256-table.py, which says what they are;
 * p256_base.c says what for.
 *
 * Entries of 64 bytes, x and y in Montgomery form, cut into chunks of SELO_P256_CHUNK: first the first
 * chunk of every entry, then the second of every entry, and so on, as a scan reads them.
 */
#include "../common/flash.h"
#include "p256_base.h"

const uint8_t selo_p256_table[64 * SELO_P256_ENTRIES] SELO_FLASH = {
""" + "\n".join(lines) + """
};
"""


def main():
    path = pathlib.Path(__file__).resolve().parent.parent / "src/selo/p256/p256_table.c"
    if sys.argv[1:] == ["--check"]:
        if not path.exists() or path.read_text() != text():
            sys.exit("src/selo/p256/p256_table.c is not what tools/p256-table.py writes")
        print("p256-table: 1 passed, 0 failed")
    else:
        path.write_text(text())


if __name__ == "__main__":
    main()
