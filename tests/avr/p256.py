#!/usr/bin/env python3
"""Checks P-256 on the simulated ATmega328P.

usage: p256.py RUNNER IMAGE [--small] [--cases N] [--teeth N] [--kernel PART_OF_A_NAME]

First every kernel of src/selo/p256/ runs on edge values and on N random inputs (default: 2,000), and is
compared with Python's integers. A call passes if
- its result is correct modulo p and below 2^256;
- it writes nothing else, keeps the registers, the stack pointer and the interrupt flag that the
  C ABI protects, and leaves r1 = 0 (lab/sims/call checks this);
- it takes as many cycles as every other call of the function.
The cost of a kernel must match the line in its file, `Cost of NAME: N cycles, N bytes of stack`, or
`Cost of NAME, small:` for an image with SELO_P256_SMALL=1.

Then, for random secrets and edge cases: a key pair, a shared secret and a signature take the same cycles,
leave no secret on the stack, and are what Python computes; the chip verifies the signature, but not
that of another message.
"""

import argparse
import hashlib
import hmac
import importlib.util
import pathlib
import random
import re
import sys

from chip import STACK_TOP, Call, Chip, Result, Same, left_in, variables_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
STACK = 1200  # bytes that are searched
OK, ERROR_TAG = 0, 6


def generator():
    spec = importlib.util.spec_from_file_location("table", ROOT / "tools/p256-table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CURVE = generator()
P, ORDER = CURVE.P, CURVE.ORDER
TOP = 2**256
RADIX = pow(TOP, -1, P)


def word(number, size=32):
    return (number % (1 << 8 * size)).to_bytes(size, "little")


def number_of(data, signed=False):
    return int.from_bytes(data, "little", signed=signed)


EDGES = sorted({
    0, 1, 2, 8, P - 2, P - 1, P, P + 1, P + 2, TOP - 1, TOP - 2, TOP - 8, TOP - P - 1, TOP - P, TOP - P + 1,
    2**224 - 1, 2**224, 2**224 + 1, TOP - 2**224 - 1, TOP - 2**224, TOP - 2**224 + 1,
    TOP - 2**224 + 2**192 - 1, TOP - 2**224 + 2**192, 8 * 2**224 - 1, 8 * 2**224, TOP - 8 * 2**224, TOP - 9 * 2**224,
    2**192, 2**96, 2**96 - 1, 2**128, 2**128 - 1, 2**255, 2**248 - 1, TOP - 2**128, TOP - 2**64, TOP - 2**192, TOP - 2**96,
    int("55" * 32, 16), int("aa" * 32, 16), int("80" * 32, 16), int("7f" * 32, 16),
    int("ff00" * 16, 16), int("00ff" * 16, 16), int("ffffffff00000000" * 4, 16),
    # halves and quarters that differ by one, both ways
    int("55" * 16 + "55" * 15 + "56", 16), int("55" * 15 + "56" + "55" * 16, 16),
    int("55" * 8 + "55" * 7 + "56" + "55" * 16, 16), int("aa" * 24 + "aa" * 7 + "a9", 16),
})


class Kernel:
    """A function of one or two elements, and perhaps a small number."""

    def __init__(self, name, operands, compute, numbers=(None,)):
        self.name, self.operands, self.compute, self.numbers = name, operands, compute, numbers

    def inputs(self, count, random_numbers):
        edges = [(a,) for a in EDGES] if self.operands == 1 else [(a, b) for a in EDGES for b in EDGES]
        for index, values in enumerate(edges):
            yield values, 0, self.numbers[index % len(self.numbers)]
        for index in range(count):
            values = tuple(random_numbers.getrandbits(256) for _ in range(self.operands))
            yield values, index % (self.operands + 1), self.numbers[index % len(self.numbers)]

    def call(self, values, alias, number):
        operands = [word(value) for value in values]
        result = bytes(32)
        if alias:
            result = operands[alias - 1]
            operands[alias - 1:alias] = [Same(0)]
        extra = [] if number is None else [number & 0xFF]
        return Call(self.name, [result] + operands + extra, {0: 32})

    def wrong(self, values, number, outputs):
        want = self.compute(*values) if number is None else self.compute(*values, number)
        got = number_of(outputs[0])
        return "" if (got - want) % P == 0 else f"{got:#x} is not {want % P:#x}"


class Lookup:
    def __init__(self, teeth):
        self.name = "selo_p256_lookup_avr"
        spacing = dict(CURVE.COMBS)[teeth]
        self.entries = list(CURVE.entries(teeth, spacing))

    def inputs(self, count, random_numbers):
        return [((index,), 0, None) for index in range(len(self.entries))]

    def call(self, values, alias, number):
        return Call(self.name, [bytes(64), values[0]], {0: 64})

    def wrong(self, values, number, outputs):
        return "" if outputs[0] == self.entries[values[0]] else "not the entry"


class Choose:
    """One of eight points."""

    name = "selo_p256_choose_avr"

    def inputs(self, count, random_numbers):
        return [((index, random_numbers.randbytes(512)), 0, None) for index in range(8)]

    def call(self, values, alias, number):
        return Call(self.name, [bytes(64), values[1], values[0]], {0: 64})

    def wrong(self, values, number, outputs):
        index, points = values
        return "" if outputs[0] == points[64 * index:64 * index + 64] else "not the point"


class Transform:
    """A matrix times two long numbers, with and without a modulus."""

    name = "selo_p256_transform_avr"

    def __init__(self, modulus, address):
        self.modulus, self.address = modulus, address

    def inputs(self, count, random_numbers):
        for index in range(max(count // 4, 3)):
            kind = index % 3
            longs = [(-1) ** random_numbers.getrandbits(1) * random_numbers.getrandbits(262 if kind else 8)
                     for _ in range(2)]
            if kind == 2:
                longs = [random_numbers.choice((1, -1)) * (2**262 - 1 - value % 256) for value in longs]
            u, q = random_numbers.randint(-64, 64), random_numbers.randint(-128, 127)
            v, r = (random_numbers.choice((1, -1)) * (most - abs(first))
                    for most, first in ((64, u), (128 - (q == 0), q)))
            row = (u, v, random_numbers.randint(-32, 31), q, r, random_numbers.randint(-64, 63))
            yield tuple(longs) + row, 0, None

    def call(self, values, alias, number):
        matrix = b"".join(word(value, 1) for value in values[2:])
        return Call(self.name, [word(values[0], 33), word(values[1], 33), matrix, self.address], {0: 33, 1: 33})

    def wrong(self, values, number, outputs):
        a, b, u, v, x, q, r, y = values
        want = ((u * a + v * b + x * self.modulus) >> 6, (q * a + r * b + y * self.modulus) >> 7)
        got = tuple(number_of(output, True) for output in outputs)
        return "" if got == want else f"{got} is not {want}"


TIMES = tuple(range(-8, 9))
FIELD = [
    Kernel("selo_p256_multiply_avr", 2, lambda a, b: a * b * RADIX),
    Kernel("selo_p256_square_avr", 1, lambda a: a * a * RADIX),
    Kernel("selo_p256_add_avr", 2, lambda a, b: a + b),
    Kernel("selo_p256_subtract_avr", 2, lambda a, b: a - b),
    Kernel("selo_p256_add_times_avr", 2, lambda a, b, times: a + times * b, TIMES),
]


def claimed(small):
    """{name: (cycles, stack)} from the comments in the kernels' files."""
    pattern = re.compile(r"Cost of (\w+)(, small)?: ([\d,]+) cycles, (\d+) bytes of stack")
    files = (ROOT / "src/selo/native/avr").glob("p256_*.S")
    found = [claim for path in files for claim in pattern.findall(path.read_text())]
    claims = {}
    for of_small in (False, True) if small else (False,):
        for name, mark, cycles, stack in found:
            if bool(mark) == of_small:
                claims[name] = (int(cycles.replace(",", "")), int(stack))
    return claims


def check_kernel(chip, kernel, count, claims):
    """The numbers of passed and failed checks."""
    if kernel.name not in chip.symbols:
        print(f"{kernel.name}: not in the image", file=sys.stderr)
        return 0, 1
    inputs = list(kernel.inputs(count, random.Random(kernel.name)))
    results = chip.run([kernel.call(*case) for case in inputs])
    usual = next((result.cycles for result in results if not result.fault), None)
    reasons = []
    for (values, alias, number), result in zip(inputs, results):
        reason = result.fault or kernel.wrong(values, number, result.outputs)
        if not reason and result.cycles != usual:
            reason = f"{result.cycles} cycles, not {usual}"
        if reason:
            operands = ", ".join(f"{value:#x}" for value in values if isinstance(value, int))
            reasons.append(f"{kernel.name}({operands}), alias {alias}, {number}: {reason}")
    if not results[0].fault:
        cost = results[0].cycles, results[0].stack
        if kernel.name in claims and claims[kernel.name] != cost:
            reasons.append("{}: its file says {} cycles, {} bytes of stack".format(kernel.name, *claims[kernel.name]))
        print(f"{kernel.name}: {cost[0]} cycles, {cost[1]} bytes of stack, {len(inputs)} cases")
    for reason in reasons[:3]:
        print(reason, file=sys.stderr)
    return len(inputs) + 1 - len(reasons), len(reasons)


def nonce_of(secret, digest):
    """[RFC6979, 3.2], where the first candidate serves."""
    seed = secret.to_bytes(32, "big") + (number_of(digest[::-1]) % ORDER).to_bytes(32, "big")
    key, value = bytes(32), b"\x01" * 32

    def mac(data):
        return hmac.digest(key, data, "sha256")

    for mark in (b"\x00", b"\x01"):
        key = mac(value + mark + seed)
        value = mac(value)
    value = mac(value)
    assert 0 < int.from_bytes(value, "big") < ORDER
    return int.from_bytes(value, "big"), key


def signs_of(scalar):
    return word((scalar if scalar & 1 else ORDER - scalar) >> 1)[:31]


class Case:
    """A secret, a peer's and a message, with what Python computes from them."""

    def __init__(self, secret, peer, message):
        self.secret, self.message = secret, message
        self.public = CURVE.multiply(secret, CURVE.BASE)
        self.peer = CURVE.multiply(peer, CURVE.BASE)
        self.shared = CURVE.multiply(secret, self.peer)[0]
        digest = hashlib.sha256(message).digest()
        self.nonce, self.key = nonce_of(secret, digest)
        r = CURVE.multiply(self.nonce, CURVE.BASE)[0] % ORDER
        s = (number_of(digest[::-1]) + r * secret) * pow(self.nonce, -1, ORDER) % ORDER
        self.signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def secrets(self):
        return {"secret": word(self.secret), "nonce": word(self.nonce), "key of the generator": self.key,
                "shared secret": word(self.shared), "shared element": word(self.shared * TOP % P),
                "inverse of the nonce": word(pow(self.nonce, -1, ORDER) * TOP % ORDER),
                "signs of the secret": signs_of(self.secret), "signs of the nonce": signs_of(self.nonce)}


def point(pair):
    return b"".join(coordinate.to_bytes(32, "big") for coordinate in pair)


def commands(chip, variables, case):
    def at(name):
        return f"{variables[name][0]:x}"

    def call(function, arguments, writes):
        pieces = " ".join(f"{at(name)}:{variables[name][1]:x}" for name in writes)
        return f"call {chip.symbols[function]:x} {','.join(arguments)} {pieces} {STACK_TOP - STACK:x}:{STACK:x}"

    size = f"{len(case.message):x}"
    verify = call("selo_p256_verify", [at("signature"), at("public_key"), at("message"), size], [])
    return [f"put {at('secret')} {case.secret.to_bytes(32, 'big').hex()}",
            f"put {at('message')} {case.message.hex()}",
            f"put {at('public_key')} {point(case.peer).hex()}",
            call("selo_p256_shared_secret", [at("shared"), at("secret"), at("public_key")], ["shared"]),
            call("selo_p256_keygen", [at("public_key"), at("secret")], ["public_key"]),
            call("selo_p256_sign", [at("signature"), at("secret"), at("message"), size], ["signature"]),
            verify,
            f"put {at('message')} {bytes([case.message[0] ^ 1]).hex()}",
            verify]


def check_case(chip, variables, case, cycles, search):
    """What is wrong. The bytes of a small secret are everywhere: it is not searched for."""
    answers = [Result(answer) for answer in chip.answers(commands(chip, variables, case))]
    wrong = [answer.fault for answer in answers if answer.fault]
    if wrong:
        return wrong
    shared, keygen, sign, verified, altered = answers
    for name, answer, want in (("shared secret", shared, case.shared.to_bytes(32, "big")),
                               ("keygen", keygen, point(case.public)), ("sign", sign, case.signature)):
        if answer.value != OK or answer.outputs[0] != want:
            wrong.append(f"{name}: {answer.value}, {answer.outputs[0].hex()}, not {want.hex()}")
        if search:
            wrong += [f"{name} leaves {secret}" for secret in left_in(answer.outputs[-1], case.secrets())]
        cycles[name].add(answer.cycles)
        stacks[name] = answer.stack
    stacks["verify"] = verified.stack
    cycles["verify"].add(verified.cycles)
    if (verified.value, altered.value) != (OK, ERROR_TAG):
        wrong.append(f"verify: {verified.value}, {altered.value}")
    return wrong


stacks = {}


def check_whole(chip, image):
    variables = variables_of(image)
    numbers = random.Random("p256")
    cycles = {name: set() for name in ("keygen", "shared secret", "sign", "verify")}
    small = [1, 2, ORDER - 1, ORDER - 2]
    secrets = small + [numbers.randrange(1, ORDER) for _ in range(4)]
    passed = failed = 0
    for secret in secrets:
        case = Case(secret, numbers.randrange(1, ORDER), numbers.randbytes(64))
        wrong = check_case(chip, variables, case, cycles, secret not in small)
        passed, failed = (passed, failed + 1) if wrong else (passed + 1, failed)
        for reason in wrong:
            print(f"secret {secret:#x}: {reason}", file=sys.stderr)
    for name, values in cycles.items():
        if name != "verify":
            passed, failed = (passed + 1, failed) if len(values) == 1 else (passed, failed + 1)
        print(f"P-256 {name}: {' or '.join(str(value) for value in sorted(values))} cycles, {stacks.get(name)} bytes of stack")
    return passed, failed


def skips_claim(kernel, arguments):
    """A file states the cost with a modulus, and with the usual number of teeth."""
    if isinstance(kernel, Transform):
        return kernel.modulus == 0
    return isinstance(kernel, Lookup) and arguments.teeth != (4 if arguments.small else 5)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner")
    parser.add_argument("image")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--teeth", type=int, default=5)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--kernel", help="only kernels whose name has this in it")
    arguments = parser.parse_args()

    chip = Chip(arguments.runner, arguments.image)
    kernels = FIELD + [Transform(P, chip.symbols["field"]), Transform(ORDER, chip.symbols["order"]), Transform(0, 0)]
    kernels += [Choose(), Lookup(arguments.teeth)]
    claims = claimed(arguments.small)
    results = [check_kernel(chip, kernel, arguments.cases, {} if skips_claim(kernel, arguments) else claims)
               for kernel in kernels if (arguments.kernel or "") in kernel.name]
    if not arguments.kernel:
        results.append(check_whole(chip, arguments.image))
    passed, failed = (sum(column) for column in zip(*results))
    print(f"P-256 on the chip: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
