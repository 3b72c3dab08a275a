#!/usr/bin/env python3
"""Verifies SUIT envelopes on the simulated ATmega328P.

usage: suit.py RUNNER IMAGE_ED25519 IMAGE_P256

The envelopes are those of tests/c/suit-vectors.py with up to 330 bytes, by Ed25519, and the examples of the draft
[SUIT, B] in tests/c/test_suit.c, by ECDSA on P-256. Prints cycles (cycle-exact) and stack of the deepest call. The
stack must be what src/selo_suit.h says.
"""

import importlib.util
import pathlib
import re
import sys

from chip import Chip, Result, variables_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
STATUS = {"OK": 0, "KEY": 5, "TAG": 6, "ARGUMENT": 1}
MANIFEST = 48  # bytes of the struct on AVR


def vectors():
    spec = importlib.util.spec_from_file_location("vectors", ROOT / "tests/c/suit-vectors.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def examples():
    """The draft's examples, and the key of their author."""
    text = (ROOT / "tests/c/test_suit.c").read_text()
    joined = "".join(re.findall(r'"([^"]*)"', re.search(r"#define EXAMPLE_SHARED(.*?)\n#define", text, re.S)[1]))
    key = bytes.fromhex("".join(re.findall(r"0x(..)", re.search(r"example_author\[64\] = \{(.*?)\};", text, re.S)[1])))
    whole = re.search(r'\{SECURE_BOOT\((.*?)\), 0\}', text, re.S)[1]
    start = "d86ba2025873825824822f5820" + re.search(r'EXAMPLE_DIGEST\("(6658.*?)"\)', text)[1] + "584ad28443a10126a0f65840"
    yield key, bytes.fromhex(start + "".join(re.findall(r'"(.*?)"', whole)) + "035871a501010200" + joined + "0943821702")


class Suit:
    def __init__(self, runner, images):
        self.chips = [(Chip(runner, image), variables_of(image)) for image in images]
        self.passed = self.failed = 0
        self.deepest = {}

    def opens(self, name, function, envelope, key):
        """Calls a function of selo_suit.h. Returns status and manifest."""
        chip, variables = next(of for of in self.chips if function in of[0].symbols)
        place = {name: address for name, (address, _) in variables.items()}
        arguments = f"{place['manifest']:x},{place['envelope']:x},{len(envelope):x},{place['public_key']:x}"
        lines = [f"put {place['envelope']:x} {envelope.hex()}"] if envelope else []
        lines.append(f"put {place['public_key']:x} {key.hex()}")
        lines.append(f"call {chip.symbols[function]:x} {arguments} {place['manifest']:x}:{MANIFEST:x}")
        result = Result(chip.answers(lines)[-1])
        if result.fault:
            print(f"FAILED  {name}: {result.fault}")
            return None, b""
        cycles, stack = self.deepest.get(function, (0, 0))
        self.deepest[function] = (max(cycles, result.cycles), max(stack, result.stack))
        return result.value & 0xFF, result.outputs[0]

    def verdict(self, name, holds, said=""):
        self.passed += holds
        self.failed += not holds
        if not holds:
            print(f"FAILED  {name}: {said}")


def main():
    suit, made = Suit(sys.argv[1], sys.argv[2:4]), vectors()
    author = made.sign.public_bytes(made.key)
    for name, wanted, envelope in made.CASES:
        if len(envelope) <= 330:
            status, manifest = suit.opens(name, "selo_suit_open_ed25519", envelope, author)
            suit.verdict(name, status == STATUS[wanted], f"status {status}, wanted {STATUS[wanted]}")
            suit.verdict(f"{name}, what is read", any(manifest) == (wanted == "OK"), manifest.hex())
    for key, envelope in examples():
        status, manifest = suit.opens("the draft's example", "selo_suit_open_p256", envelope, key)
        suit.verdict("the draft's example", (status, manifest[4:8]) == (0, (34768).to_bytes(4, "little")), f"status {status}, {manifest.hex()}")
        altered = bytearray(envelope)
        altered[-1] ^= 1
        status, _ = suit.opens("the draft's example, altered", "selo_suit_open_p256", bytes(altered), key)
        suit.verdict("the draft's example, altered", status == STATUS["TAG"], f"status {status}")
    header = (ROOT / "src/selo_suit.h").read_text()
    said = re.search(r"Stack: ([\d,]+) with Ed25519, ([\d,]+) with P-256", header)
    for function, number in zip(("selo_suit_open_ed25519", "selo_suit_open_p256"), said.groups()):
        cycles, stack = suit.deepest[function]
        print(f"{function:24} {cycles:>12,} cycles at most, {stack:,} bytes of stack")
        suit.verdict(f"the stack of {function}", int(number.replace(",", "")) == stack, f"the header says {number}")
    print(f"avr-suit: {suit.passed} passed, {suit.failed} failed")
    sys.exit(suit.failed > 0)


if __name__ == "__main__":
    main()
