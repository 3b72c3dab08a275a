#!/usr/bin/env python3
"""Checks Ed25519 on the simulated ATmega328P.

usage: ed25519.py RUNNER IMAGE

For random seeds and messages: a key pair and a signature take the same cycles, no secret of them is on
the stack afterwards, and the chip verifies the signature, but not that of another message. Python's
hashlib says what the secrets are.
"""

import hashlib
import random
import sys

from chip import STACK_TOP, Chip, Result, left_in, variables_of

CASES = 8
ORDER = 2**252 + 27742317777372353535851937790883648493
STACK = 704  # bytes that are searched
OK, ERROR_TAG = 0, 6


def secrets_of(seed, message):
    """What may not stay: the scalars, with what the comb makes of them, and the hashes."""
    expanded = bytearray(hashlib.sha512(seed).digest())
    expanded[0] &= 248
    expanded[31] = expanded[31] & 127 | 64
    digest = hashlib.sha512(bytes(expanded[32:]) + message).digest()
    secrets = {"seed": seed, "prefix": bytes(expanded[32:]), "digest": digest}
    for name, number in (("scalar", int.from_bytes(expanded[:32], "little")),
                         ("nonce", int.from_bytes(digest, "little") % ORDER)):
        eighth = number * pow(8, -1, ORDER) % ORDER
        signs = (eighth + (0 if eighth & 1 else ORDER)) // 2
        for part, value in ((name, number), (f"{name} / 8", eighth), (f"signs of {name}", signs)):
            secrets[part] = value.to_bytes(32, "little")
    return secrets


def commands(chip, variables, seed, message):
    def at(name):
        return f"{variables[name][0]:x}"

    def call(function, arguments, writes):
        pieces = " ".join(f"{at(name)}:{variables[name][1]:x}" for name in writes)
        return (f"call {chip.symbols[function]:x} {','.join(arguments)} {pieces} "
                f"{STACK_TOP - STACK:x}:{STACK:x}")

    public_key = f"{variables['key'][0] + 32:x}"
    verify = call("selo_ed25519_verify", [at("signature"), public_key, at("message"), "40"], [])
    return [f"put {at('seed')} {seed.hex()}", f"put {at('message')} {message.hex()}",
            call("selo_ed25519_keygen", [at("key"), at("seed")], ["key"]),
            call("selo_ed25519_sign", [at("signature"), at("key"), at("message"), "40"], ["signature"]),
            verify, f"put {at('message')} {bytes([message[0] ^ 1]).hex()}", verify]


def main():
    chip = Chip(sys.argv[1], sys.argv[2])
    variables = variables_of(sys.argv[2])
    numbers = random.Random("ed25519")
    passed = failed = 0
    cycles = {"keygen": set(), "sign": set()}
    for case in range(CASES):
        seed, message = numbers.randbytes(32), numbers.randbytes(64)
        answers = chip.answers(commands(chip, variables, seed, message))
        keygen, sign, verified, altered = (Result(answer) for answer in answers)
        wrong = [result.fault for result in (keygen, sign, verified, altered) if result.fault]
        if not wrong:
            secrets = secrets_of(seed, message)
            wrong += [f"keygen leaves {name}" for name in left_in(keygen.outputs[-1], secrets)]
            wrong += [f"sign leaves {name}" for name in left_in(sign.outputs[-1], secrets)]
            if (verified.value, altered.value) != (OK, ERROR_TAG):
                wrong.append(f"verify: {verified.value}, {altered.value}")
            cycles["keygen"].add(keygen.cycles)
            cycles["sign"].add(sign.cycles)
        passed, failed = (passed, failed + 1) if wrong else (passed + 1, failed)
        for reason in wrong:
            print(f"case {case}: {reason}", file=sys.stderr)
    for name, values in cycles.items():
        passed, failed = (passed + 1, failed) if len(values) == 1 else (passed, failed + 1)
        print(f"Ed25519 {name}: {' or '.join(str(value) for value in sorted(values))} cycles")
    print(f"ed25519 on the chip: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
