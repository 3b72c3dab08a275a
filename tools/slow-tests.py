#!/usr/bin/env python3
"""Prints which tests of Rust take the most CPU, and which wait longest.

usage: tools/slow-tests.py [--top N] [--out FILE] [OPTION OF nextest]...
  --top N     number of tests to print (default 40)
  --out FILE  where all are kept (default out/test/slow-tests.tsv)
  the rest goes to tools/rust-tests.sh: -p selo-lab, or -E 'test(pairing)'

A line of the file is a test's seconds of CPU, its seconds on the clock, and its name, with tabs
between. CPU is of the test's process and of all the processes that it waited for. A server that
outlives its test is missed. Seconds on the clock depend on what else the machine does; those of
CPU do so less.
exit: that of tools/rust-tests.sh
"""

import os
import sys
import time

KEPT_IN = "SELO_CPU_OF_TESTS"


def main():
    if KEPT_IN in os.environ:
        return run_one(sys.argv[1:])
    # These take longer to load than some tests run.
    import argparse
    import pathlib

    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--top", type=int, default=40)
    parser.add_argument("--out", type=pathlib.Path, default=root / "out/test/slow-tests.tsv")
    arguments, rest = parser.parse_known_args()
    if arguments.help:
        print(__doc__, end="")
        return 0
    kept = arguments.out.resolve()
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("")
    status = run_all(root, kept, rest)
    rows = sorted((read_row(line) for line in kept.read_text().splitlines()), reverse=True)
    kept.write_text("".join(f"{cpu:.2f}\t{clock:.2f}\t{name}\n" for cpu, clock, name in rows))
    report(rows, arguments.top)
    return status


def run_all(root, kept, options):
    """Runs the tests with this script before each (a target's runner). Returns the exit status."""
    import platform
    import subprocess

    target = f"{platform.machine()}-unknown-linux-gnu"
    runner = f"CARGO_TARGET_{target.upper().replace('-', '_')}_RUNNER"
    environment = {**os.environ, runner: os.path.realpath(__file__), KEPT_IN: str(kept)}
    return subprocess.run([root / "tools/rust-tests.sh", *options], env=environment).returncode


def run_one(command):
    """Runs a test, appends its row, and ends as the test ended."""
    environment = {name: value for name, value in os.environ.items() if name != KEPT_IN}
    started = time.monotonic()
    process = os.posix_spawn(command[0], command, environment)
    _, status, usage = os.wait4(process, 0)
    clock = time.monotonic() - started
    if "--exact" in command:
        # nextest gives PROGRAM --exact NAME --nocapture.
        name = command[command.index("--exact") + 1]
        program = os.path.basename(command[0]).rsplit("-", 1)[0]
        row = f"{usage.ru_utime + usage.ru_stime:.2f}\t{clock:.2f}\t{program} {name}\n"
        # One write, so that rows of tests that end together do not mix.
        with open(os.environ[KEPT_IN], "ab", buffering=0) as file:
            file.write(row.encode())
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def read_row(line):
    cpu, clock, name = line.split("\t")
    return float(cpu), float(clock), name


def report(rows, top):
    total = sum(cpu for cpu, _, _ in rows)
    shown = 0.0
    print(f"{'CPU s':>8} {'clock s':>8} {'sum':>5}  test")
    for cpu, clock, name in rows[:top]:
        shown += cpu
        part = 100 * shown / total if total else 0
        print(f"{cpu:8.1f} {clock:8.1f} {part:4.0f}%  {name}")
    waited = sorted(rows, key=lambda row: row[0] - row[1])[: top // 4]
    print("waiting longest (clock without CPU):")
    for cpu, clock, name in waited:
        print(f"{clock - cpu:8.1f}  {name}")
    print(f"{len(rows)} tests, {total:.0f} s of CPU")


if __name__ == "__main__":
    sys.exit(main())
