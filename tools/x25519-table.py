#!/usr/bin/env python3
"""Writes src/selo/x25519/x25519_table.c, the multiples of the base point of X25519.

usage: tools/x25519-table.py [--check]
  --check  write nothing; fail if the file differs from the result

The arithmetic is affine and slow: -x^2 + y^2 = 1 + d x^2 y^2 modulo p = 2^255 - 19, the
twisted Edwards form of Curve25519 [RFC7748, 4.1].
"""

import pathlib
import sys

COMBS = ((5, 51, 24), (4, 64, 4), (3, 85, 4))  # teeth, their distance, chunk
P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P
ORDER = 2**252 + 27742317777372353535851937790883648493


def add(p, q):
    (x1, y1), (x2, y2) = p, q
    k = D * x1 * x2 * y1 * y2 % P
    return ((x1 * y2 + x2 * y1) * pow(1 + k, -1, P) % P,
            (y1 * y2 + x1 * x2) * pow(1 - k, -1, P) % P)


def multiply(n, p):
    result = (0, 1)
    while n:
        if n & 1:
            result = add(result, p)
        p, n = add(p, p), n >> 1
    return result


def base_point():
    """y = 4/5, x even [RFC8032, 5.1]; its u coordinate is 9."""
    y = 4 * pow(5, -1, P) % P
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x & 1:
        x = P - x
    assert (1 + y) * pow(1 - y, -1, P) % P == 9 and multiply(ORDER, (x, y)) == (0, 1)
    return x, y


def entries(teeth, spacing):
    """(y + x)/2, (y - x)/2, d x y of each sum of teeth, with the highest tooth positive."""
    tooth = [multiply(8, base_point())]
    for _ in range(teeth - 1):
        tooth.append(multiply(2**spacing, tooth[-1]))
    half = pow(2, -1, P)
    for index in range(2 ** (teeth - 1)):
        x, y = tooth[-1]
        for t in range(teeth - 1):
            tx, ty = tooth[t]
            x, y = add((x, y), (tx if index >> t & 1 else P - tx, ty))
        values = ((y + x) * half % P, (y - x) * half % P, D * x * y % P)
        yield b"".join(value.to_bytes(32, "little") for value in values)


def text():
    lines = []
    for teeth, spacing, chunk in COMBS:
        table = list(entries(teeth, spacing))
        scan = b"".join(entry[i:i + chunk] for i in range(0, 96, chunk) for entry in table)
        lines.append(f"#{'el' if lines else ''}if SELO_X25519_TEETH == {teeth}")
        for i in range(0, len(scan), 12):
            lines.append("    " + " ".join(f"0x{byte:02x}," for byte in scan[i:i + 12]))
    lines.append("#endif")
    return f"""/*
 * Multiples of the base point of X25519. Written by tools/x25519-table.py, which says what
 * they are; x25519_base.c says what for.
 *
 * Entries of 96 bytes, (y + x)/2, (y - x)/2 and d x y, cut into chunks of SELO_X25519_CHUNK:
 * first the first chunk of every entry, then the second of every entry, and so on, as a
 * scan reads them.
 */
#include "../common/flash.h"
#include "field.h"
#include "x25519_base.h"

/* The kernels for ARM and RV32 read words. */
_Alignas(SELO_FIELD25519_ALIGNMENT) const uint8_t
    selo_x25519_table[96 * SELO_X25519_ENTRIES] SELO_FLASH = {{
""" + "\n".join(lines) + """
};
"""


def main():
    path = pathlib.Path(__file__).resolve().parent.parent / "src/selo/x25519/x25519_table.c"
    if sys.argv[1:] == ["--check"]:
        if not path.exists() or path.read_text() != text():
            sys.exit("src/selo/x25519/x25519_table.c is not what tools/x25519-table.py writes")
        print("x25519-table: 1 passed, 0 failed")
    else:
        path.write_text(text())


if __name__ == "__main__":
    main()
