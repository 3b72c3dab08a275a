#!/usr/bin/env python3
"""Prints docs/records.md: Selo's rows on the Uno beside the best that is published.

usage: tools/records.py [--write|--check]
  --write  write the file; --check  fail if the file is not what would be written

Ours are the values of bench/baseline/uno.json, which tools/baseline.py measures and holds;
the published ones and their sources stand in bench/records.json. A record whose "less" names a
second row is the difference of the two: what one block more costs.
"""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def text():
    rows = json.loads((ROOT / "bench/baseline/uno.json").read_text())
    lines = [
        "# Records on the ATmega328P",
        "",
        "Printed by `tools/records.py` from rows that `tools/baseline.py` measures with `selo lab run"
        " --board uno`: cycle-exact, called through the C ABI, with the compiler that the rows name."
        " What is published was measured by its authors, with their compiler. A ratio below 1 is"
        " in Selo's favour. The difference of two rows is a block more of a message, with what the"
        " functions above the compression do for it.",
        "",
        "| operation | row | metric | Selo | best published | ratio | source |",
        "|---|---|---|--:|--:|--:|---|",
    ]
    for record in json.loads((ROOT / "bench/records.json").read_text()):
        ours = rows[record["row"]][record["unit"]]
        row = f"`{record['row']}`"
        if "less" in record:
            ours -= rows[record["less"]][record["unit"]]
            row += f" less `{record['less']}`"
        unit = "cycles" if record["unit"] == "cycles" else record["unit"] + ", bytes"
        lines.append(f"| {record['what']} | {row} | {unit} | {ours:,} | {record['best']:,} |"
                     f" {ours / record['best']:.2f} | {record['source']} |")
    return "\n".join(lines) + "\n"


def main():
    path = ROOT / "docs/records.md"
    if sys.argv[1:] == ["--write"]:
        path.write_text(text())
    elif sys.argv[1:] == ["--check"]:
        if not path.exists() or path.read_text() != text():
            sys.exit("docs/records.md is not what tools/records.py prints: tools/records.py --write")
        print("records: 1 passed, 0 failed")
    else:
        print(text(), end="")


if __name__ == "__main__":
    main()
