#!/usr/bin/env python3
"""Runs ML-KEM's encapsulation in pieces on the simulated ATmega328P.

usage: mlkem.py RUNNER IMAGE BITS [--all]

The state and one piece are in RAM, nothing else. Each vector of an encapsulation in
lab/vectors/ml-kem runs in pieces of other sizes; by default a few of them. A second pass with another
key must be refused. Encapsulations with one key and different random numbers must take the same
cycles.
"""

import argparse
import pathlib
import random
import subprocess
import sys

from chip import Chip, Result

ROOT = pathlib.Path(__file__).resolve().parents[2]
PIECE = 0x600 # an address behind the state
BUDGET = {"512": 8_000_000}  # cycles
RAM_BUDGET, FLASH_BUDGET = 1500, 7 * 1024
OK, ERROR_KEY = 0, 5


class Encapsulation:
    """One encapsulation: its commands to the runner, and what their answers must be."""

    def __init__(self, chip, bits, state, state_bytes):
        self.chip, self.prefix = chip, f"selo_mlkem{bits}_encapsulate_"
        self.state, self.state_bytes = state, state_bytes
        self.lines, self.expected = [], []

    def call(self, name, data=b"", size=None, output=0, status=OK, expected=None):
        if data:
            self.lines.append(f"put {PIECE:x} {data.hex()}")
        arguments = [self.state, PIECE] + ([size] if size is not None else [])
        may_write = f"{self.state:x}:{self.state_bytes:x}" + (f" {PIECE:x}:{output:x}" if output else "")
        self.lines.append(f"call {self.chip.symbols[self.prefix + name]:x} "
                          f"{','.join(f'{argument:x}' for argument in arguments)} {may_write}")
        self.expected.append((name, status, expected))

    def key(self, key, size, last=OK):
        for at in range(0, len(key), size):
            piece = key[at:at + size]
            ends = at + len(piece) == len(key)
            self.call("key", piece, len(piece), status=last if ends else OK)

    def read(self, part, size):
        for at in range(0, len(part), size):
            piece = part[at:at + size]
            self.call("read", size=len(piece), output=len(piece), expected=piece)

    def whole(self, vector, size, second_key=None):
        key, ciphertext = vector["ek"], vector["c"]
        self.call("start", vector["m"])
        self.key(key, size)
        self.read(ciphertext[:-128], size)
        self.key(second_key or key, size, ERROR_KEY if second_key else OK)
        if not second_key:
            self.read(ciphertext[-128:], size)
            self.call("finish", output=32, expected=vector["k"])


class Judge:
    def __init__(self, chip):
        self.chip, self.passed, self.failed, self.stack = chip, 0, 0, 0

    def check(self, holds, what):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"failed: {what}", file=sys.stderr)

    def run(self, encapsulation, what):
        """The cycles of all calls together."""
        answers = self.chip.answers(encapsulation.lines)
        results = [Result(line) for line in answers]
        wrong = ""
        for result, (name, status, expected) in zip(results, encapsulation.expected):
            if result.fault:
                wrong = wrong or f"{name}: {result.fault}"
            elif name != "start" and result.value != status:
                wrong = wrong or f"{name}: status {result.value}, not {status}"
            elif expected is not None and result.outputs[1] != expected:
                wrong = wrong or f"{name}: wrong output"
        self.check(not wrong and len(results) == len(encapsulation.expected), f"{what}: {wrong}")
        if wrong:
            return 0
        self.stack = max(self.stack, *(result.stack for result in results))
        return sum(result.cycles for result in results)


def symbol(image, name):
    """The address of a variable in RAM, and its size."""
    listing = subprocess.run(["avr-nm", "-S", image], check=True, capture_output=True, text=True)
    address, size = next(line.split()[:2] for line in listing.stdout.splitlines() if line.endswith(f" {name}"))
    return int(address, 16) & 0xFFFF, int(size, 16)


def vectors(bits):
    for source in ("acvp", "wycheproof"):
        section, values = "", {}
        text = (ROOT / f"lab/vectors/ml-kem/{source}-{bits}.rsp").read_text()
        for line in text.splitlines() + [""]:
            name, _, value = line.partition(" = ")
            if line.startswith("["):
                section = line
            elif not line and values:
                if section == "[encapsulation]" and values["result"] == "valid":
                    yield {field: bytes.fromhex(values[field]) for field in ("ek", "m", "c", "k")}
                values = {}
            elif value:
                values[name] = value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner")
    parser.add_argument("image")
    parser.add_argument("bits")
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    chip = Chip(arguments.runner, arguments.image)
    judge = Judge(chip)
    state, state_bytes = symbol(arguments.image, "encapsulation_state")
    numbers = random.Random(arguments.bits)
    cases = list(vectors(arguments.bits))
    if not arguments.all:
        cases = cases[:1] + cases[-1:]
    cycles = []
    for index, vector in enumerate(cases):
        size = [58, 125, 7, 1, 120][index % 5]
        encapsulation = Encapsulation(chip, arguments.bits, state, state_bytes)
        encapsulation.whole(vector, size)
        cycles.append(judge.run(encapsulation, f"vector {index}, pieces of {size}"))

    other = bytearray(cases[0]["ek"])
    other[-1] ^= 1
    encapsulation = Encapsulation(chip, arguments.bits, state, state_bytes)
    encapsulation.whole(cases[0], 58, bytes(other))
    judge.run(encapsulation, "another key in the second pass")

    print(f"ML-KEM-{arguments.bits} in pieces: {cycles[0]} cycles, {state_bytes} bytes of RAM, {judge.stack} of stack")
    print(f"mlkem{arguments.bits} on the chip: {judge.passed} passed, {judge.failed} failed")
    return 1 if judge.failed else 0


if __name__ == "__main__":
    sys.exit(main())
