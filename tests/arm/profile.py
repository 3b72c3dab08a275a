#!/usr/bin/env python3
"""Prints the functions that ML-KEM-512 spends its time in on a Cortex-M0, M3 or M4 (profile.c).

usage: tests/arm/profile.py m0|m3|m4      (needs arm-none-eabi-gcc, qemu-system-arm)

QEMU writes the address of every instruction. Each gets the modelled cycles of its class
(lab/boards/models); a function's sum does not have those of the functions that it calls.
"""

import collections
import glob
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MACHINES = {"m0": "microbit", "m3": "mps2-an385", "m4": "mps2-an386"}
LARGER = ["-global", "nrf51-soc.sram-size=0x200000", "-global", "nrf51-soc.flash-size=0x200000"]
PORT = "lab/firmware/ports/bare"
BRANCH = re.compile(r"(b(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)|cbn?z)$")


def build(core, image):
    sources = ["tests/arm/profile.c", f"{PORT}/semihosting.c", f"{PORT}/support.c",
               "lab/firmware/ports/cortex-m/core.c"]
    for folder in ("mlkem", "sha3", "common"):
        sources += glob.glob(f"src/selo/{folder}/*.c", root_dir=ROOT)
    sources += glob.glob("src/selo/native/armv*/*.S", root_dir=ROOT)
    addresses = [f"-Wl,--defsym=port_{name}={value}"
                 for name, value in (("code", 0), ("data", 0x20000000), ("ram", 16384))]
    subprocess.run(["arm-none-eabi-gcc", f"-mcpu=cortex-{core}", "-mthumb", "-O2",
                    "-ffunction-sections", "-fdata-sections", "-Isrc", f"-I{PORT}", *sources,
                    "-Wl,--gc-sections", "-nostartfiles", "-specs=nano.specs", "-specs=nosys.specs",
                    f"-T{PORT}/sections.ld", *addresses, "-Wl,--no-warn-rwx-segments",
                    "-o", image], check=True, cwd=ROOT)


def instructions(image):
    """{address: (operation, operands, size, function)} of an image."""
    text = subprocess.run(["arm-none-eabi-objdump", "-d", image], check=True,
                          capture_output=True, text=True).stdout
    found, function = {}, None
    for line in text.splitlines():
        if match := re.match(r"^[0-9a-f]+ <(.*)>:", line):
            function = match[1]
        elif match := re.match(r"^\s*([0-9a-f]+):\t([0-9a-f ]+)\t(\S+)\s*([^;@]*)", line):
            size = 2 if len(match[2].strip()) <= 4 else 4
            found[int(match[1], 16)] = (match[3].split(".")[0], match[4].strip(), size, function)
    return found


def registers(operands):
    count = 0
    for part in operands[operands.index("{") + 1:operands.index("}")].split(","):
        first, _, last = part.strip().partition("-")
        count += int(last[1:]) - int(first[1:]) + 1 if last else 1
    return count


def cost(cycles, instruction, falls_through, after_load):
    """The cycles of an instruction, and whether it is a load that the next one may overlap."""
    name, operands, _, _ = instruction
    if name in ("pop", "ldm", "ldmia", "ldmdb"):
        to_pc = cycles["load-pc"] if "pc" in operands else 0
        return cycles["load-multiple"] + registers(operands) * cycles["load-register"] + to_pc, False
    if name in ("push", "stm", "stmia", "stmdb"):
        return cycles["store-multiple"] + registers(operands) * cycles["store-register"], False
    if name == "ldrd":
        return cycles["load-multiple"] + 2 * cycles["load-register"], False
    if name == "strd":
        return cycles["store-multiple"] + 2 * cycles["store-register"], False
    if name.startswith("ldr"):
        return cycles["load-next" if after_load else "load"], True
    if name.startswith("str"):
        return cycles["store-indexed" if re.search(r"\[\w+, [a-z]", operands) else "store"], False
    if BRANCH.match(name):
        return cycles["branch-not-taken" if falls_through else "branch-taken"], False
    classes = {"bl": "call", "b": "jump", "bx": "jump-register", "blx": "jump-register",
               "mul": "multiply", "muls": "multiply", "mla": "accumulate", "mls": "accumulate",
               "umull": "multiply-long", "smull": "multiply-long", "umlal": "accumulate-long",
               "smlal": "accumulate-long", "umaal": "accumulate-long"}
    return cycles[classes.get(name, "alu")], False


def profile(trace, code, cycles):
    """{phase: {function: cycles}}."""
    phases, functions, last, after_load = {}, None, None, False
    for line in trace:
        match = re.search(r"\[[0-9a-f]+/([0-9a-f]+)/", line)
        address = int(match[1], 16) if match else None
        if address not in code:
            last = None
            continue
        if last is not None:
            spent, after_load = cost(cycles, code[last], address == last + code[last][2], after_load)
            if functions is not None:
                functions[code[last][3]] += spent
        name = code[address][3]
        if name == "phase_end":
            break
        if name.startswith("phase_"):
            functions = phases.setdefault(name.removeprefix("phase_"), collections.Counter())
        last = address
    return phases


def main():
    if sys.argv[1:] not in [[core] for core in MACHINES]:
        sys.exit(__doc__)
    core = sys.argv[1]
    cycles = tomllib.loads((ROOT / f"lab/boards/models/cortex-{core}.toml").read_text())["cycles"]
    with tempfile.TemporaryDirectory() as folder:
        image, log = f"{folder}/image", f"{folder}/trace"
        build(core, image)
        subprocess.run(["qemu-system-arm", "-M", MACHINES[core], *(LARGER if core == "m0" else []),
                        "-display", "none", "-monitor", "none", "-serial", "none",
                        "-semihosting-config", "enable=on,target=native", "-singlestep",
                        "-d", "exec,nochain", "-D", log, "-kernel", image], check=True)
        with open(log) as trace:
            phases = profile(trace, instructions(image), cycles)
    for phase, functions in phases.items():
        whole = functions.total()
        print(f"ml-kem-512 {phase}: {whole:,} modelled cycles on Cortex-{core.upper()}")
        for function, spent in functions.most_common(12):
            print(f"    {function:28} {spent:9,} {100 * spent / whole:5.1f} %")


if __name__ == "__main__":
    main()
