#!/usr/bin/env python3
"""Runs random AVR programs on three simulators that share no code: simavr, avr8js and QEMU.

Each program has more than a hundred sequences of random instructions of the ATmega328P,
including skips over one and two words. After each sequence the chip sends its registers, its
status register and a window of its memory. These must be equal on all simulators. The cycles of
each sequence must be equal on simavr and avr8js, which count them. Every fourth program also
reads, writes, tests and skips on I/O registers. QEMU does not have those, so it does not run
these programs.

If a sequence differs, the script prints its instructions, cut to the shortest beginning that
still differs.

usage: tests/sims/differential.py --simavr PROGRAM --avr8js PROGRAM [--qemu PROGRAM]
           [--seed N] [--programs N] [--out FOLDER]
exit: 0 all equal; 1 something differs; 2 a tool is missing or fails
"""

import argparse
import pathlib
import random
import subprocess
import sys

SEQUENCES = 160  # for each program; they fit into the flash
INSTRUCTIONS = 36  # maximum for each sequence
WINDOW = 64  # bytes of RAM that loads and stores reach
DUMP = 32 + 1 + WINDOW  # registers, status register, window

PRELUDE = r"""
; The program around the sequences. GPIOR0 holds the marks of a span.
.equ SREG, 0x3f
.equ GPIOR0, 0x1e
.equ UCSR0A, 0xc0
.equ UCSR0B, 0xc1
.equ UBRR0L, 0xc4
.equ UDR0, 0xc6

.section .bss
window: .skip 64
next: .skip 2
dump: .skip 33

.section .text
.global main
main:
    ldi r16, 0x08           ; transmit
    sts UCSR0B, r16
    ldi r16, 0
    sts UBRR0L, r16
    ldi r16, lo8(states)
    sts next, r16
    ldi r16, hi8(states)
    sts next + 1, r16
    rjmp sequences

; Registers and status from the next 33 bytes of the flash; opens a span.
enter:
    lds r30, next
    lds r31, next + 1
    lpm r17, Z+
    ldi r16, 32
1:  lpm r18, Z+
    push r18
    dec r16
    brne 1b
    sts next, r30
    sts next + 1, r31
    ldi r16, 1
    out GPIOR0, r16
    out SREG, r17
    .irp n, 31,30,29,28,27,26,25,24,23,22,21,20,19,18,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0
    pop r\n
    .endr
    ret

; Closes the span and sends everything.
leave:
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    sts dump + \n, r\n
    .endr
    in r16, SREG
    sts dump + 32, r16
    ldi r16, 2
    out GPIOR0, r16
    ldi r30, lo8(dump)
    ldi r31, hi8(dump)
    ldi r17, 33
    rcall send
    ldi r30, lo8(window)
    ldi r31, hi8(window)
    ldi r17, 64
    rcall send
    ret

send:
    ld r16, Z+
1:  lds r18, UCSR0A
    sbrs r18, 5
    rjmp 1b
    sts UDR0, r16
    dec r17
    brne send
    ret

table: .byte %s

sequences:
"""

EPILOGUE = r"""
    cli
    sleep
1:  rjmp 1b
states:
"""


def reg(rng, low=0, high=31):
    return f"r{rng.randint(low, high)}"


def two_operands(rng):
    name = rng.choice("add adc sub sbc and or eor cp cpc mov mul".split())
    return f"{name} {reg(rng)}, {reg(rng)}"


def immediate(rng):
    name = rng.choice("subi sbci andi ori cpi ldi".split())
    return f"{name} {reg(rng, 16)}, {rng.randint(0, 255)}"


def one_operand(rng):
    name = rng.choice("com neg inc dec lsr ror asr swap".split())
    return f"{name} {reg(rng)}"


def word_immediate(rng):
    constant = rng.choice([rng.randint(0, 63), rng.choice([12, 13, 14, 15, 28, 31, 44, 47, 60, 63])])
    return f"{rng.choice(['adiw', 'sbiw'])} r{rng.choice([24, 26, 28, 30])}, {constant}"


def signed_product(rng):
    if rng.random() < 0.4:
        return f"muls {reg(rng, 16)}, {reg(rng, 16)}"
    name = rng.choice("mulsu fmul fmuls fmulsu".split())
    return f"{name} {reg(rng, 16, 23)}, {reg(rng, 16, 23)}"


def bits(rng):
    name = rng.choice("bst bld".split())
    return f"{name} {reg(rng)}, {rng.randint(0, 7)}"


def flags(rng):
    # The interrupt flag stays clear: nothing here handles interrupts.
    return f"{rng.choice(['bset', 'bclr'])} {rng.choice([0, 1, 2, 3, 4, 5, 6])}"


def pair(rng):
    return f"movw r{2 * rng.randint(0, 15)}, r{2 * rng.randint(0, 15)}"


def direct(rng):
    address = f"window + {rng.randint(0, WINDOW - 1)}"
    return rng.choice([f"lds {reg(rng)}, {address}", f"sts {address}, {reg(rng)}"])


def simple(rng):
    """One instruction that is valid anywhere, even after a skip."""
    kinds = [two_operands, immediate, one_operand, word_immediate, signed_product, bits, flags, pair, direct]
    weights = [10, 6, 6, 6, 4, 2, 2, 3, 4]
    return rng.choices(kinds, weights)[0](rng)


class Labels:
    """Fresh labels for a program."""

    def __init__(self):
        self.count = 0

    def new(self):
        self.count += 1
        return f"l{self.count}"


def indirect(rng):
    """Sets a pointer, and uses it once."""
    pointer, low = rng.choice([("X", 26), ("Y", 28), ("Z", 30)])
    at = rng.randint(1, WINDOW - 2)
    lines = [f"ldi r{low}, lo8(window + {at})", f"ldi r{low + 1}, hi8(window + {at})"]
    # A pointer that moves must be neither source nor target, because the result is undefined.
    other = reg(rng, 0, 25)
    form = rng.choice([pointer, pointer + "+", "-" + pointer])
    if pointer != "X" and rng.random() < 0.4:
        form = f"{pointer}+{rng.randint(0, WINDOW - 1 - at)}"
        lines.append(rng.choice([f"ldd {other}, {form}", f"std {form}, {other}"]))
    else:
        lines.append(rng.choice([f"ld {other}, {form}", f"st {form}, {other}"]))
    return lines


def from_flash(rng):
    form = rng.choice(["lpm", f"lpm {reg(rng, 0, 25)}, Z", f"lpm {reg(rng, 0, 25)}, Z+"])
    at = rng.randint(0, 30)
    return [f"ldi r30, lo8(table + {at})", f"ldi r31, hi8(table + {at})", form]


def stack(rng):
    return [f"push {reg(rng)}", simple(rng), f"pop {reg(rng)}"]


def branch(rng, labels):
    """A jump forward, taken or not."""
    label = labels.new()
    s, b = rng.randint(0, 7), rng.choice(["brbs", "brbc"])
    jump = rng.choice([f"{b} {s}, {label}", f"{b} {s}, {label}", f"rjmp {label}", f"jmp {label}"])
    return [jump] + [simple(rng) for _ in range(rng.randint(0, 3))] + [f"{label}:"]


def indirect_jump(rng, labels):
    label = labels.new()
    lines = [f"ldi r30, lo8(gs({label}))", f"ldi r31, hi8(gs({label}))", "ijmp", simple(rng), f"{label}:"]
    return lines


def call(rng, labels):
    """A subroutine of one instruction, with a jump around it."""
    inside, after = labels.new(), labels.new()
    how = rng.choice(["rcall", "call"])
    return [f"rjmp {after}", f"{inside}:", simple(rng), "ret", f"{after}:", f"{how} {inside}"]


def skip(rng, labels):
    """A skip over an instruction of one or two words."""
    name = rng.choice("cpse sbrc sbrs".split())
    operand = reg(rng) if name == "cpse" else rng.randint(0, 7)
    first = reg(rng)
    if name == "cpse" and rng.random() < 0.3:
        operand = first
    line = f"{name} {first}, {operand}"
    over = rng.choices(["simple", "word", "jmp"], [5, 4, 1])[0]
    if over == "jmp":
        label = labels.new()
        return [line, f"jmp {label}", simple(rng), f"{label}:"]
    return [line, word_immediate(rng) if over == "word" else simple(rng)]


DDRB = 0x04  # accessed by single bits
GPIOR1 = 0x2A


def io(rng):
    """Reads, writes and bits of I/O registers."""
    register, bit = rng.choice([DDRB, GPIOR1]), rng.randint(0, 7)
    return rng.choice([
        f"in {reg(rng)}, {register}", f"out {register}, {reg(rng)}",
        f"sbi {DDRB}, {bit}", f"cbi {DDRB}, {bit}",
    ])


def io_skip(rng):
    name = rng.choice(["sbic", "sbis"])
    over = rng.choice([simple, word_immediate, io])(rng)
    return [f"{name} {DDRB}, {rng.randint(0, 7)}", over]


def unit(rng, labels, with_io=False):
    """One indivisible group of lines."""
    if with_io and rng.random() < 0.3:
        return io_skip(rng) if rng.random() < 0.5 else [io(rng)]
    kind = rng.random()
    if kind < 0.50:
        return [simple(rng)]
    if kind < 0.68:
        return skip(rng, labels)
    if kind < 0.78:
        return indirect(rng)
    if kind < 0.82:
        return from_flash(rng)
    if kind < 0.86:
        return stack(rng)
    if kind < 0.94:
        return branch(rng, labels)
    if kind < 0.96:
        return indirect_jump(rng, labels)
    return call(rng, labels)


def sequence(rng, labels, with_io):
    units, count = [], 0
    while count < INSTRUCTIONS:
        units.append(unit(rng, labels, with_io))
        count += len(units[-1])
    return units


class Failed(Exception):
    """A tool is missing or failed."""


def run(command, **options):
    try:
        return subprocess.run(command, check=True, capture_output=True, **options)
    except FileNotFoundError as error:
        raise Failed(f"{command[0]} is not installed") from error
    except subprocess.CalledProcessError as error:
        raise Failed(f"{command[0]}: {error.stderr.decode(errors='replace')[-2000:]}") from error


def assemble(sequences, states, folder):
    rng = random.Random(7)
    text = PRELUDE % ", ".join(str(rng.randint(0, 255)) for _ in range(32))
    for units in sequences:
        text += "    call enter\n"
        for lines in units:
            for line in lines:
                text += f"{line}\n" if line.endswith(":") else f"    {line}\n"
        text += "    call leave\n"
    text += EPILOGUE
    for state in states:
        text += "    .byte " + ", ".join(map(str, state)) + "\n"
    source, image = folder / "program.S", folder / "program.elf"
    source.write_text(text)
    run(["avr-gcc", "-mmcu=atmega328p", "-nodevicelib", "-Wl,--no-relax", "-o", image, source])
    return image


def on_runner(program, image):
    """The output of a runner of this project: bytes, spans, and the reason for an early stop."""
    command = program + ["--mcu", "atmega328p", "--frequency", "16000000", "--limit", "20000000", str(image)]
    # The chip ends asleep with interrupts off, which the runner reports by its exit code.
    try:
        text = subprocess.run(command, input="send \n", capture_output=True, text=True, timeout=120).stdout
    except FileNotFoundError as error:
        raise Failed(f"{program[0]} is not there") from error
    data, spans = b"", []
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "recv":
            data += bytes.fromhex(rest)
        elif word == "span":
            spans.append(int(rest.split()[0].removeprefix("cycles=")))
    last = text.splitlines()[-1] if text else "no answer"
    if not last.startswith("stopped "):
        raise Failed(f"{program[0]}: {last}")
    return data, spans, "" if "reason=halted" in last else " ".join(text.splitlines()[-2:])


def on_qemu(program, image, want):
    """The bytes that QEMU's UART sends. QEMU does not end by itself, so it is stopped."""
    command = [program, "-M", "uno", "-bios", str(image), "-nographic", "-monitor", "none", "-serial", "stdio"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    data = b""
    try:
        while len(data) < want:
            piece = process.stdout.read1(want - len(data))
            if not piece:
                raise Failed(f"{program}: {process.stderr.read().decode(errors='replace')[-500:]}")
            data += piece
    finally:
        process.kill()
        process.wait()
    return data


def outcomes(sequences, states, options, with_io):
    """For each simulator, the dump of every sequence, with its cycles if they are counted."""
    image = assemble(sequences, states, options.out)
    want = DUMP * len(sequences)
    results = {}
    for name, program in (("simavr", [options.simavr]), ("avr8js", ["node", options.avr8js])):
        data, spans, why = on_runner(program, image)
        if not why and (len(data) != want or len(spans) != len(sequences)):
            why = f"{len(data)} bytes of {want}, {len(spans)} spans of {len(sequences)}"
        whole = min(len(data) // DUMP, len(spans))
        results[name] = [(data[i * DUMP:(i + 1) * DUMP], spans[i]) for i in range(whole)]
        results[name] += [(why, None)] * (len(sequences) - whole)
    if options.qemu and not with_io:
        data = on_qemu(options.qemu, image, want)
        results["qemu"] = [(data[i * DUMP:(i + 1) * DUMP], None) for i in range(len(sequences))]
    return results


def difference(results, index):
    """Describes the differences in a sequence. Empty if there are none."""
    names = list(results)
    first, (dump, cycles) = names[0], results[names[0]][index]
    told = []
    for name in names[1:]:
        other, others = results[name][index]
        stopped = [text for text in (dump, other) if isinstance(text, str)]
        if stopped:
            return [f"stopped: {stopped[0]}"]
        for at in range(DUMP):
            if dump[at] != other[at]:
                place = f"r{at}" if at < 32 else "SREG" if at == 32 else f"window + {at - 33}"
                told.append(f"{place}: {first} {dump[at]:#04x}, {name} {other[at]:#04x}")
        if others is not None and others != cycles:
            told.append(f"cycles: {first} {cycles}, {name} {others}")
    return told


def shortest(units, state, options, with_io):
    """The shortest beginning of a sequence that still differs."""
    for count in range(1, len(units) + 1):
        told = difference(outcomes([units[:count]], [state], options, with_io), 0)
        if told:
            return units[:count], told
    return units, []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simavr", required=True, help="the runner selo-simavr")
    parser.add_argument("--avr8js", required=True, help="the runner selo-avr8js.mjs")
    parser.add_argument("--qemu", help="QEMU's program for AVR")
    parser.add_argument("--seed", type=int, default=1, help="of the first program (default 1)")
    parser.add_argument("--programs", type=int, default=4, help="how many (default 4)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/sims/differential"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    passed = failed = 0
    for seed in range(options.seed, options.seed + options.programs):
        rng, labels, with_io = random.Random(seed), Labels(), seed % 4 == 0
        sequences = [sequence(rng, labels, with_io) for _ in range(SEQUENCES)]
        # The status register first; its interrupt flag is clear.
        states = [[rng.randint(0, 127)] + [rng.randint(0, 255) for _ in range(32)] for _ in sequences]
        results = outcomes(sequences, states, options, with_io)
        for index, units in enumerate(sequences):
            if not difference(results, index):
                passed += 1
                continue
            failed += 1
            if failed > 3:
                continue
            # In the program earlier sequences filled the window. Alone, the sequence starts with zeros.
            units, told = shortest(units, states[index], options, with_io)
            print(f"failed: seed {seed}, sequence {index}", file=sys.stderr)
            for lines in units[-3:]:
                print("    " + "; ".join(lines), file=sys.stderr)
            for line in (told or difference(results, index))[:8]:
                print(f"    {line}", file=sys.stderr)
    print(f"differential: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        print(f"differential: {error}", file=sys.stderr)
        sys.exit(2)
