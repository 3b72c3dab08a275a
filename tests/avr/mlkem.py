#!/usr/bin/env python3
"""Runs ML-KEM on simulated chips with the vectors of lab/vectors/ml-kem.

usage: mlkem.py RUNNER BITS IMAGE_IN_PIECES IMAGE_OF_WHOLE_KEYS [--all]

On an ATmega328P: encapsulation in pieces. The state and one piece are in RAM, nothing else. On an
ATmega2560: the functions on whole keys. A few vectors run, or all of them. A second pass with another
key must be refused. With one key and other random numbers, an encapsulation must take the same
cycles; so must a decapsulation of a ciphertext that was altered. No secret may stay on the stack.
Cycles, RAM and flash must be within the budgets.
"""

import argparse
import hashlib
import pathlib
import random
import subprocess
import sys

from chip import STACK_TOP, Chip, Result, left_in, variables_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
OK, ERROR_KEY = 0, 5
CYCLES_IN_PIECES = {"512": 8_000_000, "768": 12_000_000}
CYCLES_WHOLE = {"512": 5_000_000, "768": 8_000_000}
RAM, FLASH = 1500, 7 * 1024  # in pieces: state and stack; code beside that of Keccak-f


class Script:
    """Calls of functions on one chip, and the answers that they must give."""

    def __init__(self, chip, variables, prefix):
        self.chip, self.variables, self.prefix = chip, variables, prefix
        self.lines, self.expected = [], []

    def put(self, name, data):
        self.lines.append(f"put {self.variables[name][0]:x} {data.hex()}")

    def call(self, function, arguments, writes, status=OK, expected=None):
        """arguments: names of variables, or numbers. writes: {name: size}, the checked output last."""
        words = [self.variables[item][0] if isinstance(item, str) else item for item in arguments]
        pieces = " ".join(f"{self.variables[name][0]:x}:{size:x}" for name, size in writes.items())
        self.lines.append(f"call {self.chip.symbols[self.prefix + function]:x} "
                          f"{','.join(f'{word:x}' for word in words)} {pieces}")
        self.expected.append((function, status, expected))

    def run(self):
        """The results, and the first reason why one is wrong."""
        results = [Result(line) for line in self.chip.answers(self.lines)]
        for result, (name, status, expected) in zip(results, self.expected):
            if result.fault:
                return results, f"{name}: {result.fault}"
            if status is not None and result.value != status:
                return results, f"{name}: status {result.value}, not {status}"
            if expected is not None and result.outputs[-1] != expected:
                return results, f"{name}: wrong output"
        return results, "" if len(results) == len(self.expected) else "calls without an answer"


class InPieces(Script):
    """An encapsulation on the ATmega328P."""

    def __init__(self, chip, variables, bits):
        super().__init__(chip, variables, f"selo_mlkem{bits}_encapsulate_")
        self.state = {"state": variables["state"][1]}

    def key(self, key, size, last=OK):
        for at in range(0, len(key), size):
            piece = key[at:at + size]
            self.put("piece", piece)
            status = last if at + size >= len(key) else OK
            self.call("key", ["state", "piece", len(piece)], self.state, status)

    def read(self, part, size):
        for at in range(0, len(part), size):
            piece = part[at:at + size]
            self.call("read", ["state", "piece", len(piece)], {**self.state, "piece": len(piece)},
                      expected=piece)

    def encapsulate(self, key, message, size, ciphertext=None, secret=None, second_key=None):
        """Without the ciphertext only the cycles matter."""
        u = {800: 640, 1184: 960}[len(key)]
        self.put("piece", message)
        self.call("start", ["state", "piece"], self.state, None)
        self.key(key, size)
        self.read(ciphertext[:u] if ciphertext else Unknown(u), size)
        self.key(second_key or key, size, ERROR_KEY if second_key else OK)
        if not second_key:
            self.read(ciphertext[u:] if ciphertext else Unknown(128), size)
            self.call("finish", ["state", "piece"], {**self.state, "piece": 32}, expected=secret)


class Unknown:
    """An output that is not compared."""

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, part):
        return Unknown(len(range(self.size)[part]))

    def __ne__(self, other):
        return len(other) != self.size


class Whole(Script):
    """Functions on whole keys, on the ATmega2560."""

    def __init__(self, chip, variables, bits):
        super().__init__(chip, variables, f"selo_mlkem{bits}_")
        self.size = {name: variables[name][1] for name in variables}

    def keygen(self, vector):
        self.put("seed", vector["d"] + vector["z"])
        self.call("keygen", ["public_key", "private_key", "seed"],
                  {"public_key": self.size["public_key"], "private_key": self.size["private_key"]}, None,
                  vector["dk"])

    def encapsulate(self, vector):
        self.put("public_key", vector["ek"])
        self.put("seed", vector["m"])
        self.call("encapsulate", ["ciphertext", "secret", "public_key", "seed"],
                  {"secret": 32, "ciphertext": self.size["ciphertext"]}, OK, vector["c"])

    def decapsulate(self, key, ciphertext, secret=None):
        self.put("private_key", key)
        self.put("ciphertext", ciphertext)
        self.call("decapsulate", ["secret", "private_key", "ciphertext"], {"secret": 32}, None, secret)


class Judge:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, holds, what):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"failed: {what}", file=sys.stderr)

    def run(self, script, what):
        results, wrong = script.run()
        self.check(not wrong, f"{what}: {wrong}")
        return [] if wrong else results


def flash_of(image):
    """Bytes of code without Keccak-f and without what every program has."""
    listing = subprocess.run(["avr-nm", "-S", image], check=True, capture_output=True, text=True)
    words = [line.split() for line in listing.stdout.splitlines()]
    return sum(int(line[1], 16) for line in words
               if len(line) == 4 and line[2] in "Tt" and "keccak" not in line[3] and line[3] != "main")


def vectors(bits, wanted, fields):
    for source in ("acvp", "wycheproof"):
        section, values = "", {}
        text = (ROOT / f"lab/vectors/ml-kem/{source}-{bits}.rsp").read_text()
        for line in text.splitlines() + [""]:
            name, _, value = line.partition(" = ")
            if line.startswith("["):
                section = line
            elif not line and values:
                if section == wanted and values["result"] == "valid" and set(fields) <= set(values):
                    yield {field: bytes.fromhex(values[field]) for field in fields}
                values = {}
            elif value:
                values[name] = value


def check_wiped(chip, variables, bits, case, judge):
    """No call leaves a secret on the stack, and the last one leaves nothing in the state."""
    both = hashlib.sha3_512(case["m"] + hashlib.sha3_256(case["ek"]).digest()).digest()
    secrets = {"message": case["m"], "secret": both[:32], "seed": both[32:],
               "noise": hashlib.shake_256(both[32:] + b"\0").digest(192)}
    script = InPieces(chip, variables, bits)
    script.encapsulate(case["ek"], case["m"], 58, case["c"], case["k"])
    stack = f" {STACK_TOP - 384:x}:180"
    lines = [line + stack if line.startswith("call") else line for line in script.lines]
    results = [Result(line) for line in chip.answers(lines)]
    for result, (name, _, _) in zip(results, script.expected):
        left = [] if result.fault else left_in(result.outputs[-1], secrets)
        if result.fault or left:
            judge.check(False, f"{name} leaves {left} on the stack {result.fault}")
            return
    judge.check(not any(results[-1].outputs[0]), "a state that is zero at the end")


def check_pieces(chip, image, bits, whole_list, judge):
    variables = variables_of(image)
    cases = list(vectors(bits, "[encapsulation]", ("ek", "m", "c", "k")))
    cases = cases if whole_list else cases[:1] + cases[-1:]
    cycles, stack = [], 0
    for index, case in enumerate(cases):
        size = [58, 125, 7, 1, 120][index % 5]
        script = InPieces(chip, variables, bits)
        script.encapsulate(case["ek"], case["m"], size, case["c"], case["k"])
        results = judge.run(script, f"vector {index}, pieces of {size}")
        cycles.append(sum(result.cycles for result in results))
        stack = max([stack] + [result.stack for result in results])

    other = bytearray(cases[0]["ek"])
    other[-1] ^= 1
    script = InPieces(chip, variables, bits)
    script.encapsulate(cases[0]["ek"], cases[0]["m"], 58, cases[0]["c"], second_key=bytes(other))
    judge.run(script, "another key in the second pass")

    check_wiped(chip, variables, bits, cases[0], judge)

    numbers = random.Random(bits)
    for _ in range(1000 if whole_list else 3):
        script = InPieces(chip, variables, bits)
        script.encapsulate(cases[0]["ek"], numbers.randbytes(32), 58)
        results = judge.run(script, "random numbers")
        judge.check(sum(result.cycles for result in results) == cycles[0], "equal cycles")

    ram, flash = variables["state"][1], flash_of(image)
    print(f"ML-KEM-{bits} encapsulation in pieces of 58 bytes: {cycles[0]} cycles, "
          f"{ram} + {stack} bytes of RAM and stack, {flash} of flash beside Keccak-f")
    judge.check(cycles[0] <= CYCLES_IN_PIECES[bits], "the budget of cycles")
    judge.check(ram + stack <= RAM, "the budget of RAM")
    judge.check(flash <= FLASH, "the budget of flash")


def check_whole(chip, image, bits, whole_list, judge):
    variables = variables_of(image)
    keygens = list(vectors(bits, "[keyGen]", ("d", "z", "ek", "dk")))
    encapsulations = list(vectors(bits, "[encapsulation]", ("ek", "m", "c", "k")))
    decapsulations = list(vectors(bits, "[decapsulation]", ("dk", "c", "k")))
    most = None if whole_list else 1

    def measure(name, cases, add):
        results = []
        for case in cases[:most]:
            script = Whole(chip, variables, bits)
            add(script, case)
            results += judge.run(script, name)
        if results:
            print(f"ML-KEM-{bits} {name}: {results[0].cycles} cycles, "
                  f"{max(result.stack for result in results)} bytes of stack")
            judge.check(results[0].cycles <= CYCLES_WHOLE[bits], f"the budget of {name}")

    measure("key generation", keygens, lambda script, case: script.keygen(case))
    measure("encapsulation", encapsulations, lambda script, case: script.encapsulate(case))
    measure("decapsulation", decapsulations,
            lambda script, case: script.decapsulate(case["dk"], case["c"], case["k"]))

    numbers = random.Random(bits)
    case, cycles = decapsulations[0], set()
    for number in range(100 if whole_list else 2):
        ciphertext = bytearray(case["c"])
        if number:
            ciphertext[numbers.randrange(len(ciphertext))] ^= 1 << numbers.randrange(8)
        script = Whole(chip, variables, bits)
        script.decapsulate(case["dk"], bytes(ciphertext))
        cycles |= {result.cycles for result in judge.run(script, "an altered ciphertext")}
    judge.check(len(cycles) == 1, f"equal cycles of decapsulations: {cycles}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner")
    parser.add_argument("bits")
    parser.add_argument("pieces")
    parser.add_argument("whole")
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    judge = Judge()
    check_pieces(Chip(arguments.runner, arguments.pieces), arguments.pieces, arguments.bits,
                 arguments.all, judge)
    check_whole(Chip(arguments.runner, arguments.whole, "atmega2560"), arguments.whole, arguments.bits,
                arguments.all, judge)
    print(f"mlkem{arguments.bits} on the chips: {judge.passed} passed, {judge.failed} failed")
    return 1 if judge.failed else 0


if __name__ == "__main__":
    sys.exit(main())
