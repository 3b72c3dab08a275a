#!/usr/bin/env python3
"""Compares the field of X25519 on the simulated ATmega328P with Python's integers.

usage: field.py RUNNER IMAGE [--small] [--teeth N] [--cases N] [--kernel PART_OF_A_NAME]

Every function of src/selo/x25519/ that has an assembly kernel runs on edge values and on N
random inputs (default: 10,000). A call passes if
- its result is correct modulo p and below the stated bound;
- it writes nothing else, keeps the registers, the stack pointer and the interrupt flag that the
  C ABI protects, and leaves r1 = 0 (lab/sims/call checks this);
- it takes as many cycles as every other call of the function.

The cost of a kernel must match the line in its file, `Cost of NAME: N cycles, N bytes of stack`,
or `Cost of NAME, small:` for an image with SELO_X25519_SMALL=1. --teeth is the image's
SELO_X25519_TEETH: the test checks that table, and key generation with it on a few secrets.
"""

import argparse
import importlib.util
import pathlib
import random
import re
import sys

from chip import Call, Chip, Same

ROOT = pathlib.Path(__file__).resolve().parents[2]
P = 2**255 - 19
TOP = 2**256


def word(number):
    return number.to_bytes(32, "little")


EDGES = sorted({
    0, 1, 2, 18, 19, 20, 37, 38, 39,
    P - 2, P - 1, P, P + 1, P + 19, 2 * P - 1, 2 * P, 2 * P + 1, TOP - 1, TOP - 38, TOP - 39,
    2**255 - 1, 2**255, 2**255 + 1, 2**248, 2**248 - 1, 2**128, 2**128 - 1, 2**64, 2**64 - 1,
    TOP - 2**128, TOP - 2**64, TOP - 2**192,
    int("55" * 32, 16), int("aa" * 32, 16), int("80" * 32, 16), int("7f" * 32, 16),
    int("ff00" * 16, 16), int("00ff" * 16, 16),
    int("ff" * 8 + "00" * 8 + "ff" * 8 + "00" * 8, 16),
    int("00" * 8 + "ff" * 8 + "00" * 8 + "ff" * 8, 16),
    # halves and quarters that differ by one, both ways
    int("55" * 16 + "55" * 15 + "56", 16), int("55" * 15 + "56" + "55" * 16, 16),
    int("55" * 8 + "55" * 7 + "56" + "55" * 16, 16), int("aa" * 24 + "aa" * 7 + "a9", 16),
})


class Kernel:
    """A function of one or two elements: name, what it computes, the bound of its result."""

    def __init__(self, name, operands, compute, bound, in_place=False):
        self.name, self.operands, self.compute = name, operands, compute
        self.bound, self.in_place = bound, in_place

    def call(self, values, alias):
        operands = [word(value) for value in values]
        if self.in_place:
            count = len(self.compute(*values))
            return Call(self.name, operands, {i: 32 for i in range(count)})
        if alias:
            operands[alias - 1:alias] = [Same(0)]
            return Call(self.name, [word(values[alias - 1])] + operands, {0: 32})
        return Call(self.name, [bytes(32)] + operands, {0: 32})

    def wrong(self, values, outputs):
        for want, got in zip(self.compute(*values), outputs):
            number = int.from_bytes(got, "little")
            if (number - want) % P != 0:
                return f"{number:#x} is not {want % P:#x}"
            if number >= self.bound:
                return f"{number:#x} is too large"
        return ""


class Select:
    """One of two points, selected by 0 or 1."""

    name, operands = "selo_field25519_select_avr", 2

    def call(self, values, alias):
        points = [word(value) + word(value ^ 0x5A) for value in values]
        choice = values[0] >> 7 & 1
        if alias:
            points[alias - 1:alias] = [Same(0)]
            own = word(values[alias - 1]) + word(values[alias - 1] ^ 0x5A)
            return Call(self.name, [own] + points + [choice], {0: 64})
        return Call(self.name, [bytes(64)] + points + [choice], {0: 64})

    def wrong(self, values, outputs):
        value = values[values[0] >> 7 & 1]
        return "" if outputs[0] == word(value) + word(value ^ 0x5A) else "not what was chosen"


def generator():
    spec = importlib.util.spec_from_file_location("table", ROOT / "tools/x25519-table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Lookup:
    """Compares an entry of the table with the generator's arithmetic."""

    operands = 1

    def __init__(self, teeth, table):
        combs = {comb[0]: comb[1] for comb in generator().COMBS}
        self.entries = list(generator().entries(teeth, combs[teeth]))
        self.name = "selo_x25519_lookup_avr" if teeth == 5 else "selo_x25519_lookup_few_avr"
        self.rest = [] if teeth == 5 else [table, len(self.entries)]

    def index(self, values):
        return values[0] % len(self.entries)

    def call(self, values, alias):
        return Call(self.name, [bytes(96), self.index(values)] + self.rest, {0: 96})

    def wrong(self, values, outputs):
        return "" if outputs[0] == self.entries[self.index(values)] else "not the entry"


class Keygen:
    """A public key, computed by adding points without a comb [RFC7748, 4.1, 5]."""

    name, operands, most = "selo_x25519_keygen", 1, 12

    def __init__(self):
        self.curve = generator()

    def call(self, values, alias):
        return Call(self.name, [bytes(32), word(values[0])], {0: 32})

    def wrong(self, values, outputs):
        scalar = values[0] % 2**255 // 8 * 8 | 2**254
        y = self.curve.multiply(scalar, self.curve.base_point())[1]
        return "" if outputs[0] == word((1 + y) * pow(1 - y, -1, P) % P) else "not the public key"


PRODUCT = 2**255 + 2**136
FIELD = [
    Kernel("selo_field25519_multiply_avr", 2, lambda a, b: [a * b], PRODUCT),
    Kernel("selo_field25519_square_avr", 1, lambda a: [a * a], PRODUCT),
    Kernel("selo_field25519_subtract_avr", 2, lambda a, b: [a - b], TOP),
    Kernel("selo_field25519_butterfly_avr", 2, lambda a, b: [a + b, a - b], TOP, in_place=True),
    Kernel("selo_field25519_add_121666_avr", 2, lambda a, b: [a + 121666 * b], TOP,
           in_place=True),
    Kernel("selo_field25519_canonical", 1, lambda a: [a], P, in_place=True),
    Select(),
]


def cases(kernel, count, numbers):
    """Operands, and the one that the result overwrites (0: none)."""
    if kernel.operands == 1:
        edges = [(a,) for a in EDGES]
    else:
        edges = [(a, b) for a in EDGES for b in EDGES]
    for values in edges:
        yield values, 0
    for i in range(count):
        values = tuple(numbers.getrandbits(256) for _ in range(kernel.operands))
        yield values, i % (kernel.operands + 1)


def claimed(small):
    """{name: (cycles, stack)} from the comments in the kernels' files."""
    pattern = re.compile(r"Cost of (\w+)(, small)?: ([\d,]+) cycles, (\d+) bytes of stack")
    files = (ROOT / "src/selo/native/avr").glob("x25519_*.S")
    found = [claim for path in files for claim in pattern.findall(path.read_text())]
    claims = {}
    for of_small in (False, True) if small else (False,):
        for name, mark, cycles, stack in found:
            if bool(mark) == of_small:
                claims[name] = (int(cycles.replace(",", "")), int(stack))
    return claims


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner")
    parser.add_argument("image")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--teeth", type=int, default=5)
    parser.add_argument("--cases", type=int, default=10000)
    parser.add_argument("--kernel", help="only kernels whose name has this in it")
    arguments = parser.parse_args()

    claims = claimed(arguments.small)
    chip = Chip(arguments.runner, arguments.image)
    passed = failed = 0
    kernels = FIELD + [Lookup(arguments.teeth, chip.symbols.get("selo_x25519_table")), Keygen()]
    for kernel in kernels:
        if arguments.kernel and arguments.kernel not in kernel.name:
            continue
        if kernel.name not in chip.symbols:
            print(f"{kernel.name}: not in the image", file=sys.stderr)
            failed += 1
            continue
        numbers = random.Random(kernel.name)
        inputs = list(cases(kernel, arguments.cases, numbers))
        if hasattr(kernel, "most"):  # the last edges, and random ones
            inputs = inputs[len(EDGES) - kernel.most // 3:][:kernel.most]
        results = chip.run([kernel.call(values, alias) for values, alias in inputs])
        usual = next((result.cycles for result in results if not result.fault), None)
        shown = 0
        for (values, alias), result in zip(inputs, results):
            reason = result.fault or kernel.wrong(values, result.outputs)
            if not reason and result.cycles != usual:
                reason = f"{result.cycles} cycles, not {usual}"
            if not reason:
                passed += 1
                continue
            failed += 1
            shown += 1
            if shown <= 3:
                operands = ", ".join(f"{value:#x}" for value in values)
                print(f"{kernel.name}({operands}), alias {alias}: {reason}", file=sys.stderr)
        if not results[0].fault and kernel.name in claims:
            if claims[kernel.name] == (results[0].cycles, results[0].stack):
                passed += 1
            else:
                failed += 1
                print("{}: its file says {} cycles, {} bytes of stack".format(
                    kernel.name, *claims[kernel.name]), file=sys.stderr)
        if not results[0].fault:
            print(f"{kernel.name}: {results[0].cycles} cycles, {results[0].stack} bytes of stack,"
                  f" {len(inputs)} cases")
    print(f"field on the chip: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
