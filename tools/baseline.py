#!/usr/bin/env python3
"""Compares rows and kernels with the baseline, so that no regression goes unnoticed.

usage: tools/baseline.py --check|--update --board NAME [--algorithm NAME,...]
                         [--variant NAME,...] [--selo PROGRAM] [--rows FILE]
       tools/baseline.py --check|--update --kernels FILE [--baseline NAME]

Measures Selo's own rows with `selo lab run` and compares them with bench/baseline/NAME.json:
cycles, flash, static RAM and stack of every operation. On a simulated chip these are exact, so
one additional cycle is a regression. If a row has an interval (a timer interrupts a whole node),
its cycles and stack are stored as "about" and may grow by 1 %.

--check measures the operations in the file, or those that --algorithm and --variant select. It
fails if a value has grown or is missing, and reports smaller values, which --update stores.
--update replaces the measured values and leaves the rest of the file unchanged. --rows reads
existing rows instead of measuring.

The file has one line for each operation, sorted: "ALGORITHM VARIANT OPERATION[ BYTES]": values.

--kernels does the same for the assembly kernels, called alone: it compares the cycles and the
stack in FILE (out/avr/kernels.txt, written by tests/avr/run.sh) with bench/baseline/kernels.json,
or with NAME.json. Those for ARM (out/arm/kernels.txt, tests/arm/run.sh) are in arm-kernels.json:
instructions, and modelled cycles of the cores that have a model. Those for RV32 and Xtensa are in
riscv-kernels.json and xtensa-kernels.json: instructions, stack, and the flash of each file. There,
--algorithm selects cores.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
METRICS = ("cycles", "flash", "ram", "stack")
# The share by which an "about" figure may grow.
SLACK = 0.01
# A figure of a kernel: cycles=130669.
FIGURE = re.compile(r"([a-z]+)=([0-9.]+)")


def names(text):
    return set(text.split(",")) if text else set()


def chosen(key, arguments):
    if arguments.kernels:
        return not arguments.algorithm or key.split()[0] in names(arguments.algorithm)
    algorithm, variant = key.split()[:2]
    return ((not arguments.algorithm or algorithm in names(arguments.algorithm))
            and (not arguments.variant or variant in names(arguments.variant)))


def rows_of(path):
    """{"algorithm variant operation bytes": {metric: value}} of the rows with status ok in a file."""
    found, vague = {}, set()
    for line in pathlib.Path(path).read_text().splitlines():
        row = json.loads(line)
        if row["library"] != "selo" or row["metric"] not in METRICS or row["value"] is None:
            continue
        # The time of a verification depends on what is public; its mean is of the same keys each time.
        about = row["metric"] == "cycles" and (row["cause"] or {}).get("kind") == "depends-on-inputs"
        if row["status"] != "ok" and not about:
            continue
        key = f"{row['algorithm']} {row['variant']} {row['operation']}"
        if row["bytes"] is not None:
            key += f" {row['bytes']}"
        if row["ci95"]:
            vague.add((row["algorithm"], row["variant"]))
        found.setdefault(key, {})["about_cycles" if about else row["metric"]] = row["value"]
    exact = {}
    for key, values in found.items():
        if tuple(key.split()[:2]) in vague:
            kept = {"about_cycles": "cycles", "about_stack": "stack",
                    "flash": "flash", "ram": "ram"}
        else:
            kept = {metric: metric for metric in (*METRICS, "about_cycles")}
        values = {name: int(values[metric]) for name, metric in kept.items() if metric in values}
        if values:
            exact[key] = values
    return exact


def kernels_of(path, known, update):
    """{name: {metric: value}} of a file that run.sh of tests/avr, arm, riscv or xtensa wrote. Where
    the portable C was not run, a kernel is what the baseline knows."""
    found = {}
    for line in pathlib.Path(path).read_text().splitlines():
        # The flash of a kernel's file stands alone.
        kernel, beside, portable = (part.split() for part in line.partition("in C:"))
        # A name can have an equals sign too: sha256-compress,-DSELO_SHA256_SMALL=1.
        name = " ".join(word for word in kernel if not FIGURE.fullmatch(word))
        figures, portable = ({match[1]: int(float(match[2]))
                              for match in map(FIGURE.fullmatch, words) if match}
                             for words in (kernel, portable))
        if figures == portable:
            continue  # this core has no such kernel
        if beside and not portable:
            if update:
                sys.exit(f"baseline: {path} has no figures of the portable C for {name}\n"
                         "hint: run the kernels' test without SELO_KERNEL_C")
            if name not in known:
                continue
        found[name] = {word: value for word, value in
                       (figures | {f"portable_{word}": n for word, n in portable.items()}).items()
                       if value != 0}  # no model of the core: no cycles
    return found


def forget_stale(rows):
    """Deletes rows that an older simulator has measured: the lab does not measure again what it has
    measured of the same image."""
    simulators = [path for path in (ROOT / "target" / "sims").glob("*") if path.is_file()]
    newest = max((path.stat().st_mtime for path in simulators), default=0)
    if rows.exists() and rows.stat().st_mtime < newest:
        rows.unlink()


def measure(arguments, wanted):
    """Runs the lab for the wanted algorithms. Returns the rows file."""
    out = ROOT / "out" / "baseline" / arguments.board
    forget_stale(out / "rows.jsonl")
    command = [arguments.selo, "lab", "run", "--board", arguments.board, "--library", "selo",
               "--metric", ",".join(METRICS), "--out", str(out), "--run", "baseline"]
    if wanted:
        command += ["--algorithm", ",".join(sorted(wanted))]
    if arguments.variant:
        command += ["--variant", arguments.variant]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"baseline: {' '.join(command)} failed")
    return out / "rows.jsonl"


def write(path, rows):
    lines = [f"  {json.dumps(key)}: {json.dumps(rows[key])}" for key in sorted(rows)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def compare(before, now):
    """Prints the differences. Returns the number of values that passed, and that failed."""
    passed = failed = 0
    for key in sorted(before):
        for metric, value in before[key].items():
            got = now.get(key, {}).get(metric)
            if metric.startswith("portable"):
                pass  # only a reference for the kernels
            elif got is None:
                print(f"{key}: no {metric} was measured, {value} is in the baseline")
                failed += 1
            elif got > value * (1 + SLACK * metric.startswith("about")):
                print(f"{key}: {metric} {got:,}, more than {value:,}")
                failed += 1
            else:
                if got < value * (1 - SLACK * metric.startswith("about")):
                    print(f"{key}: {metric} {got:,}, less than {value:,}: --update keeps it")
                passed += 1
    for key in sorted(set(now) - set(before)):
        print(f"{key}: not in the baseline: --update adds it")
        failed += 1
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true")
    what.add_argument("--update", action="store_true")
    parser.add_argument("--board")
    parser.add_argument("--kernels")
    parser.add_argument("--baseline", default="kernels")
    parser.add_argument("--algorithm", default="")
    parser.add_argument("--variant", default="")
    parser.add_argument("--selo", default=str(ROOT / "target/release/selo-lab"))
    parser.add_argument("--rows")
    arguments = parser.parse_args()

    if bool(arguments.board) == bool(arguments.kernels):
        parser.error("--board or --kernels")
    name = arguments.board or arguments.baseline
    path = ROOT / "bench/baseline" / f"{name}.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    before = {key: values for key, values in known.items() if chosen(key, arguments)}
    wanted = names(arguments.algorithm) or ({key.split()[0] for key in before}
                                            if arguments.check else set())
    if arguments.check and not before:
        sys.exit(f"baseline: {path.relative_to(ROOT)} has no such rows")
    if arguments.kernels:
        measured = kernels_of(arguments.kernels, known, arguments.update)
        now = {key: values for key, values in measured.items()
               if chosen(key, arguments)}
    else:
        now = rows_of(arguments.rows or measure(arguments, wanted))
        now = {key: values for key, values in now.items()
               if chosen(key, arguments) and (not wanted or key.split()[0] in wanted)}
    passed, failed = compare(before, now)
    if arguments.update:
        # What was not measured now stays: a run of one test must not drop the others.
        write(path, {**known, **now})
        print(f"baseline: {len(now)} operations in {path.relative_to(ROOT)}")
        return 0
    print(f"baseline of {name}: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
