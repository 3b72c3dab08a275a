#!/usr/bin/env python3
"""Prints the figures of `selo lab table pqm4` beside those that pqm4 publishes, with and without hashing.

usage: selo lab table pqm4 --board stm32f407 --library LIBRARIES --markdown | tools/beside-pqm4.py
       tools/beside-pqm4.py docs/researcher/coming-from-pqm4.md

pqm4's figures are in bench/pqm4.toml. It hashes SHA-3 and SHAKE with an assembly, PQClean with C: only the
cycles without hashing are of the same code. LIBRARIES are implementations `clean`, of the library pqclean or
imported. The second form reads the table of that page.
"""

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
    return int(text.replace(",", "")) if text else None


def measured(lines):
    """The same of Selo's table, of the rows that have all three and cycles."""
    heads = None
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[0] == "Scheme":
            heads = [cell.split(" (")[0] for cell in cells] if "Mean" in cells else None
        elif heads and len(cells) == len(heads) and cells[0][0] != "-":
            named = dict(zip(heads, cells))
            values = [number(named[name]) for name in ("Mean", "Stack", "Hashing")]
            is_clean = named["Implementation"].split()[-1] == "clean" and named["Counted"].startswith("cycles")
            if is_clean and None not in values:
                yield (named["Scheme"], named["Operation"].split(",")[0]), values


def main():
    source = pathlib.Path(sys.argv[1]).open() if sys.argv[1:] else sys.stdin
    theirs, shown = dict(published()), 0
    print("| " + " | ".join(HEADS) + " |\n| --- | ---" + " | ---:" * (len(HEADS) - 2) + " |")
    for (scheme, operation), own in measured(source):
        if (scheme, operation) not in theirs:
            continue
        (cycles, stack, share), (mean, depth, hashing) = theirs[scheme, operation], own
        before, after = cycles * (1 - share / 100), mean * (1 - hashing / 100)
        print(f"| {scheme} | {operation} | {cycles:,} | {mean:,} | {share} | {hashing} | {before:,.0f} | {after:,.0f} | "
              f"{100 * (after / before - 1):+.1f} | {stack:,} | {depth:,} |")
        shown += 1
    if not shown:
        sys.exit("no row of a scheme that bench/pqm4.toml has")


if __name__ == "__main__":
    main()
