#!/usr/bin/env python3
"""Prints the figures of `selo lab table pqm4` beside those that pqm4 publishes, with and without hashing.

usage: selo lab table pqm4 --board stm32f407 --library LIBRARIES --csv | tools/beside-pqm4.py

pqm4's figures are in bench/pqm4.toml. It hashes SHA-3 and SHAKE with an assembly, PQClean with C: only the
cycles without hashing are of the same code. LIBRARIES are implementations `clean`, of the library pqclean or
imported.
"""

import csv
import pathlib
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPERATIONS = ("keygen", "sign", "verify"), ("keygen", "encapsulate", "decapsulate")
HEADS = ("Scheme", "Operation", "pqm4, cycles", "Selo, cycles", "pqm4, hashing (%)", "Selo, hashing (%)",
         "pqm4 without", "Selo without", "difference (%)", "pqm4, stack", "Selo, stack")


def published():
    """Cycles, stack and share of hashing, by scheme and operation."""
    for scheme, figures in tomllib.loads((ROOT / "bench/pqm4.toml").read_text()).items():
        operations = OPERATIONS["kem" in scheme]
        values = zip(*(figures[name] for name in ("cycles", "stack", "hashing")))
        yield from (((scheme, operation), triple) for operation, triple in zip(operations, values))


def number(text):
    return float(text.replace(",", "")) if text else None


def measured(lines):
    """The same of Selo's table, if the row has all three."""
    for line in csv.DictReader(lines):
        named = {name.split(" (")[0]: value for name, value in line.items()}
        values = [number(named.get(name, "")) for name in ("Mean", "Stack", "Hashing")]
        if named["Implementation"].split()[-1:] == ["clean"] and None not in values:
            yield (named["Scheme"], named["Operation"].split(",")[0]), values


def main():
    theirs, shown = dict(published()), 0
    print("| " + " | ".join(HEADS) + " |\n| --- | ---" + " | ---:" * (len(HEADS) - 2) + " |")
    for (scheme, operation), own in measured(sys.stdin):
        if (scheme, operation) not in theirs:
            continue
        (cycles, stack, share), (mean, depth, hashing) = theirs[scheme, operation], own
        without = [cycles * (1 - share / 100), mean * (1 - hashing / 100)]
        print(f"| {scheme} | {operation} | {cycles:,} | {mean:,.0f} | {share} | {hashing:.1f} | {without[0]:,.0f} | "
              f"{without[1]:,.0f} | {100 * (without[1] / without[0] - 1):+.1f} | {stack:,} | {depth:,.0f} |")
        shown += 1
    if not shown:
        sys.exit("no row of a scheme that bench/pqm4.toml has")


if __name__ == "__main__":
    main()
