#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the simulated cores with everything that can contradict them. Boards that pass have cycles.

usage: lab/sims/rtl/gate.py [--lab SELO_LAB] [--quick] BOARD...     (or `all`)
  --lab    the command selo-lab (default: the newest of target/release and target/debug)
  --quick  only what takes seconds, and no record: the program on the built core and, where one can
           run the core, on a second Verilog simulator

A board passes if
  vectors       official vectors pass on the core
  instructions  every operation retires as many instructions as QEMU counts
  unoptimised   a model that neither Verilator nor the compiler optimised gives the same spans
  unsplit       so does a model that Verilator built with -fno-split
  icarus        so does Icarus Verilog with a memory of its own, for cores in plain Verilog
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # beside the sources
import build  # noqa: E402
from build import HERE, ROOT  # noqa: E402

PROGRAM = ["lab/sims/rtl/gate/program.c", "lab/firmware/ports/bare/semihosting.c",
           "lab/firmware/ports/bare/support.c", "lab/firmware/ports/riscv32/core.c"]
ALGORITHMS = "aes-128,sha-256,sha3-256,x25519"
# The operations whose instructions are compared. One exchange is millions of cycles.
COUNTED = [["--algorithm", "aes-128,sha-256,sha3-256"],
           ["--algorithm", "x25519", "--variant", "fast", "--operation", "shared-secret"]]
LIMIT = "10000000"
# The gate asks for right results. Constant time is another question, and takes many exchanges.
FEW_SECRETS = ["--secrets", "2", "--slow-secrets", "2"]


class Differs(Exception):
    """The core differs from what it is compared with."""


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, **more)
    return done.returncode, done.stdout, done.stderr


def must(command, what):
    code, output, errors = run(command)
    if code != 0:
        raise Differs(f"{what}: {(errors or output).strip().splitlines()[-1:]}")
    return output


def link_program(board, to):
    """Compiles the gate's program for a board."""
    tools = board["toolchain"]
    sources = PROGRAM + [str(path.relative_to(ROOT))
                         for pattern in ("aes/*.c", "common/*.c", "native/riscv32/*.S")
                         for path in sorted((ROOT / "src/selo").glob(pattern))]
    must([tools["cc"], *tools["flags"], "-std=gnu11", "-O2", "-ffunction-sections", "-fdata-sections",
          "-Isrc", "-Ilab/firmware/ports/bare", *sources, "-nostartfiles", "-Wl,--gc-sections",
          "-Tlab/firmware/ports/bare/sections.ld", *tools["link_flags"], "-o", str(to)], "compiling")


def spans(program, image):
    """The spans of the gate's program on a built core, which must end well."""
    _, output, _ = run([program, "--mcu", "gate", "--frequency", "0", "--limit", LIMIT, image])
    found = re.findall(r"^span cycles=(\d+) slept=0 stack=\d+ instructions=(\d+)$", output, re.M)
    if "stopped reason=exit" not in output or not found:
        raise Differs(f"the program failed: {output.strip().splitlines()[-1:]}")
    return found


def same(expected, found, other):
    if expected != found:
        pairs = [f"{a} and {b}" for a, b in zip(expected, found) if a != b] or ["another number of spans"]
        raise Differs(f"spans (cycles, instructions) here and {other}: {'; '.join(pairs)}")


def rebuilt(name, board, image, expected, suffix, optimise, flags):
    """Compares the spans with those of another build of the same core."""
    with tempfile.TemporaryDirectory() as folder:
        options = argparse.Namespace(out=pathlib.Path(folder), suffix=suffix, optimise=optimise, verilator=flags)
        build.build(name, board, options)
        same(expected, spans(f"{folder}/selo-rtl-{name}{suffix}", image), suffix[1:])


def words_of(image, objcopy):
    """The program's bytes by address, as objcopy's Verilog text gives them."""
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder) / "bytes"
        sections = [f"--only-section={name}" for name in (".text", ".rodata", ".data")]
        must([objcopy, "-O", "verilog", *sections, image, str(text)], "objcopy")
        found, at = {}, 0
        for word in text.read_text().split():
            if word.startswith("@"):
                at = int(word[1:], 16)
            else:
                found[at] = int(word, 16)
                at += 1
    return found


def marks_of(image, objdump):
    """The addresses of the marks."""
    found = {}
    for number in (1, 2):
        dump = must([objdump, "-s", f"--section=.selo.mark{number}", image], "objdump")
        for line in re.findall(r"^ [0-9a-f]+ ((?:[0-9a-f]{8} ){1,4})", dump, re.M):
            for word in line.split():
                found[int.from_bytes(bytes.fromhex(word), "little")] = number
    return found


def icarus(board, image, expected):
    """Compares the spans with those of Icarus Verilog."""
    core = build.load(HERE / "cores" / f"{board['rtl']['core']}.toml")
    prefix = board["toolchain"]["cc"].removesuffix("gcc")
    code, marks = words_of(image, prefix + "objcopy"), marks_of(image, prefix + "objdump")
    base = min(code)
    size = (max(code) - base) // 4 + 1
    with tempfile.TemporaryDirectory() as folder:
        hexes, model = pathlib.Path(folder) / "image", pathlib.Path(folder) / "model"
        hexes.write_text("\n".join(
            "".join(f"{code.get(base + 4 * i + 3 - k, 0):02x}" for k in range(4)) for i in range(size)))
        marked = pathlib.Path(folder) / "marks"
        marked.write_text("\n".join(str(marks.get(base + 4 * i, 0)) for i in range(size)))
        must(["iverilog", "-g2012", "-o", str(model), "-s", "bench", str(HERE / "gate/bench.v"),
              str(HERE / "cores" / core["wrapper"]), str(build.unpack(core) / board["rtl"]["source"])], "iverilog")
        output = must(["vvp", str(model), f"+image={hexes}", f"+marks={marked}", f"+base={base:x}",
                       f"+spans={len(expected)}"], "vvp")
    same(expected, re.findall(r"^span cycles=(\d+) instructions=(\d+)$", output, re.M), "Icarus Verilog")


def counts(lab, name, runner, out):
    """The instructions of each operation on a runner."""
    for selection in COUNTED:
        must([lab, "run", "--board", name, "--runner", runner, "--library", "selo", *selection,
              "--metric", "instructions", "--out", out], f"selo-lab run --runner {runner}")
    rows = map(json.loads, (pathlib.Path(out) / "rows.jsonl").read_text().splitlines())
    return {tuple(row.get(key) for key in ("algorithm", "variant", "operation", "bytes")): row["value"]
            for row in rows if row["metric"] == "instructions"}


def instructions(lab, name):
    with tempfile.TemporaryDirectory() as folder:
        here, qemu = (counts(lab, name, runner, f"{folder}/{runner}") for runner in ("rtl", "qemu"))
    if not here or None in here.values():
        raise Differs("the core gave no counts")
    differing = [f"{' '.join(map(str, key))}: {here.get(key)} and {qemu.get(key)}"
                 for key in sorted(here.keys() | qemu.keys(), key=str) if here.get(key) != qemu.get(key)]
    if differing:
        raise Differs(f"instructions here and on QEMU: {'; '.join(differing)}")
    return f"{len(here)} operations"


def vectors(lab, name):
    code, output, errors = run([lab, "check", "--board", name, "--runner", "rtl", "--library", "selo",
                                "--variant", "fast", "--algorithm", ALGORITHMS, "--budget", "20", *FEW_SECRETS])
    if code != 0:
        raise Differs(f"selo-lab check: {(errors or output).strip().splitlines()[-1:]}")
    found = re.findall(r"^\d+ passed, \d+ failed$", output + errors, re.M)
    return found[-1] if found else "passed"


def gate(name, board, options):
    """Runs the steps for one board. Returns true if it passed."""
    program = ROOT / f"target/sims/selo-rtl-{name}"
    stamp, record = (program.with_name(f"{program.name}.{kind}") for kind in ("stamp", "gate"))
    passed = True

    def step(what, action):
        nonlocal passed
        try:
            print(f"{name}: {what}: {action() or 'the same'}")
        except Differs as difference:
            passed = False
            print(f"{name}: {what}: FAILED: {difference}")

    with tempfile.TemporaryDirectory() as folder:
        image = f"{folder}/program.elf"
        try:
            link_program(board, image)
            expected = spans(program, image)
        except Differs as difference:
            print(f"{name}: program: FAILED: {difference}")
            record.unlink(missing_ok=True)
            return False
        if board["rtl"].get("source", "").endswith(".v"):
            step("icarus", lambda: icarus(board, image, expected))
        if options.quick:
            return passed
        step("unoptimised", lambda: rebuilt(name, board, image, expected, "-unoptimised", 0, []))
        step("unsplit", lambda: rebuilt(name, board, image, expected, "-unsplit", 3, ["-fno-split"]))
    step("vectors", lambda: vectors(options.lab, name))
    step("instructions", lambda: instructions(options.lab, name))
    if passed:
        shutil.copy(stamp, record)
    else:
        record.unlink(missing_ok=True)
    return passed


def newest_lab():
    found = [path for path in (ROOT / f"target/{kind}/selo-lab" for kind in ("release", "debug")) if path.exists()]
    if not found:
        build.fail("there is no selo-lab", "make build-lab")
    return str(max(found, key=lambda path: path.stat().st_mtime))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--lab")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("boards", nargs="+")
    options = parser.parse_args()
    options.lab = options.lab or newest_lab()
    known = build.boards()
    names = list(known) if options.boards == ["all"] else options.boards
    passed = [name for name in names if gate(name, known[name], options)]
    print(f"{len(passed)} passed, {len(names) - len(passed)} failed")
    sys.exit(len(passed) != len(names))


if __name__ == "__main__":
    main()
