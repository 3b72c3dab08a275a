#!/usr/bin/env python3
"""Prints docs/researcher/records.md: Selo's figures on the Uno beside the best published ones.

usage: tools/records.py [--write|--check]
  --write  write the page, and the tables between the marks in the READMEs
  --check  fail if the page or a table differs from what --write would write

Selo's figures come from bench/baseline/uno.json and bench/baseline/kernels.json, which
tools/baseline.py measures. The published figures and their sources are in bench/records.json. An
entry there names a `kernel`, a `row`, or a `slope` between two rows, divided by `per`. `why`
explains why an entry misses its `aim`.
"""

import json
import pathlib
import sys
import tomllib

import record_cores

ROOT = pathlib.Path(__file__).resolve().parent.parent
BASELINE = ROOT / "bench/baseline"
CLOCK = 16_000_000
PROFILE = "atmega328p-datasheet"
SUITES = ("chachapoly-blake2s", "ascon", "aesgcm-sha256", "aesgcm-sha3-256")
OPERATIONS = (("pair", ""), ("join", ""), ("seal", " 16"), ("open", " 16"))

HEAD = """# Records on the ATmega328P

This page compares the fastest rows on the Uno with the best published figures. `tools/records.py` prints it:

```
tools/records.py --check                 # fail if this page is stale
selo lab run --board uno                 # measure the rows
tests/avr/run.sh --cycles                # measure the kernels
selo lab check --board uno               # vectors, constant time
```

Selo's figures are cycle-exact and include call and return through the C ABI. `tests/avr/run.sh --cycles` calls the
kernels alone; rows come from `selo lab run --board uno`. A verification has no secret, and its time depends on the public
key: the figure is a mean. `tools/baseline.py` keeps both, and fails when one grows.
Flash and stack are those of the row: the whole operation with its set-up. All of Selo's operations with a secret are
constant time: `selo lab check --board uno` compares the cycles of random secrets.

The authors of each published figure measured it with their own compiler; it is copied from the source that the table
names. A ratio below 1 is in Selo's favour. "Arduino library" is [ARDUINOLIBS], the usual choice on an Uno. Its
documentation gives microseconds, here multiplied by 16.

With `SELO_AES_SBOX_IN_RAM=1` the S-box is in RAM: 256 bytes, and 256 more where a program decrypts. Curves other than
Curve25519 are faster: a Diffie-Hellman on FourQ takes about 6.9 M cycles on an 8-bit AVR [FOURQAVR], and a
scalar multiplication on Ted127-glv4 6,856,026 [TED127AVR]. They are other protocols, so the table does not have them.

| operation | Selo, cycles | flash | aim | best published | ratio | of it: constant time | its flash | source | Arduino library | ratio |
|---|--:|--:|--:|--:|--:|---|---|---|--:|--:|
"""

NODE = """
## The link's node

These rows compare the firmware of `studies/firmware/node` with the kernels and with the portable C that they replace
(`-DSELO_NATIVE=0`), for each suite. `selo lab run --board uno --algorithm link` measures them. A figure is the mean of
its samples; the chip's timer interrupts them, so the last digits vary. Times are milliseconds at 16 MHz. Energies are
millijoules above idle, with the currents of the profile `atmega328p-datasheet`. Pairing and joining cover everything
that the chip computes, without the time on the air. A payload has 16 bytes.

| suite | operation | portable C, cycles | with kernels, cycles | ratio | ms | mJ | mJ in portable C |
|---|---|--:|--:|--:|--:|--:|--:|
"""


def number(value):
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:,.1f}"


def ours(record, rows, kernels):
    if "kernel" in record:
        value = kernels[record["kernel"]]["cycles"]
    elif "slope" in record:
        low, high = (rows[key]["cycles"] for key in record["slope"])
        value = high - low
    else:
        row = rows[record["row"]]
        value = row["cycles"] if "cycles" in row else row["about_cycles"]
    return value / record.get("per", 1)


def table(records, rows, kernels):
    for record in records:
        value = ours(record, rows, kernels)
        best, library = record.get("best"), record.get("library")
        note = f" ({record['library_note']})" if "library_note" in record else ""
        yield "| " + " | ".join((
            record["what"],
            number(value),
            number(rows[record["flash"]]["flash"]) if "flash" in record else "",
            number(record["aim"]) if "aim" in record else "",
            number(best) if best else "",
            f"{value / best:.2f}" if best else "",
            record.get("constant_time", "not stated") if best else "",
            record.get("best_flash", "not stated") if best else "",
            record["source"],
            (number(library) + note) if library else "",
            f"{value / library:.2f}" if library else "",
        )) + " |"


def missed(records, rows, kernels):
    late = [(record, ours(record, rows, kernels)) for record in records
            if "aim" in record and ours(record, rows, kernels) > record["aim"]]
    if not late:
        return
    yield "\n## Not reached\n"
    for record, value in late:
        yield (f"- **{record['what']}**: {number(value)} cycles, {number(value - record['aim'])} over"
               f" the aim. {record['why']}")


def joules_a_cycle():
    board = tomllib.loads((ROOT / "lab/boards/uno.toml").read_text())
    power = next(profile for profile in board["power"] if profile["name"] == PROFILE)
    milliamps = power["active_milliamps"] - power["idle_milliamps"]
    return power["supply_volts"] * milliamps / 1000 / CLOCK


def node(rows):
    joules = joules_a_cycle()
    for suite in SUITES:
        for operation, size in OPERATIONS:
            before = rows[f"link {suite}-portable {operation}{size}"]["about_cycles"]
            after = rows[f"link {suite} {operation}{size}"]["about_cycles"]
            yield (f"| {suite} | {operation} | {number(before)} | {number(after)} |"
                   f" {after / before:.2f} | {after / CLOCK * 1000:,.1f} |"
                   f" {after * joules * 1000:,.3f} | {before * joules * 1000:,.3f} |")


def read(name):
    return json.loads((BASELINE / name).read_text())


def text():
    rows, kernels = read("uno.json"), read("kernels.json")
    records = json.loads((ROOT / "bench/records.json").read_text())
    return (HEAD + "\n".join([*table(records, rows, kernels), *missed(records, rows, kernels)])
            + "\n" + NODE + "\n".join(node(rows)) + "\n")


# README, headings, notes after a suite's name, whether the decimal separator is a comma.
READMES = (
    ("README.md", "| suite | join (cycles) | join | seal 16 bytes (cycles) | flash | RAM + stack |",
     {"chachapoly-blake2s": ", the default",
      "aesgcm-sha3-256": ", the primitives of albarello2020"}, False),
    ("README.pt-BR.md",
     "| conjunto | ingresso (ciclos) | ingresso | selar 16 bytes (ciclos) | flash | RAM + pilha |",
     {"chachapoly-blake2s": ", o padrão",
      "aesgcm-sha3-256": ", as primitivas de albarello2020"}, True),
)
BEGIN, END = "<!-- tools/records.py --write -->\n", "<!-- end -->"
# The second table of each README.
PAIRING_WORDS = {
    "README.md": ("| suite, pairing | cycles | computing | frames | bytes | flash | RAM + stack |",
                  ("X25519", "X25519 and ML-KEM-512")),
    "README.pt-BR.md": ("| conjunto, pareamento | ciclos | cálculo | quadros | bytes | flash | RAM + pilha |",
                        ("X25519", "X25519 e ML-KEM-512")),
}
# Frames and bytes of both sides: docs/protocol.md, and the test both_ends_have_the_same_key of site/link.
PAIRINGS = ((4, 38 + 37 + 53 + 21), (70, 1082 + 1088))


def joining(rows, heading, notes, comma):
    """The table of the costs of joining."""
    lines = [heading, "|---|--:|--:|--:|--:|--:|"]
    for suite in SUITES:
        join, whole = rows[f"link {suite} join"], rows[f"link {suite} all"]
        cycles = join["about_cycles"]
        seal = rows[f"link {suite} seal 16"]["about_cycles"]
        figures = (f"{cycles:,} | {cycles / CLOCK:.2f} s | {seal:,} | {whole['flash']:,} |"
                   f" {whole['ram']:,} + {whole['about_stack']:,}")
        lines.append(f"| `{suite}`{notes.get(suite, '')} | {figures} |")
    return table_text(lines, comma)


def table_text(lines, comma):
    """The lines of a table, with a comma as the decimal separator if wanted."""
    figures = str.maketrans(",.", ".,") if comma else {}
    ends = [line.split(" | ", 1) for line in lines[2:]]
    return "\n".join(lines[:2] + [f"{name} | {rest.translate(figures)}" for name, rest in ends]) + "\n"


def pairing(rows, words, comma):
    """The table of the costs of pairing, by X25519 and with ML-KEM-512."""
    heading, ways = words
    lines = [heading, "|---|--:|--:|--:|--:|--:|--:|"]
    for suite in SUITES[:1]:
        for way, name, (frames, size) in zip(ways, (suite, f"{suite}-hybrid"), PAIRINGS):
            cycles, whole = rows[f"link {name} pair"]["about_cycles"], rows[f"link {name} all"]
            figures = (f"{cycles:,} | {cycles / CLOCK:.2f} s | {frames} | {size:,} |"
                       f" {whole['flash']:,} | {whole['ram']:,} + {whole['about_stack']:,}")
            lines.append(f"| `{suite}`, {way} | {figures} |")
    return table_text(lines, comma)


def pages():
    """Every file that --write writes, with its content."""
    yield ROOT / "docs/researcher/records.md", text()
    yield ROOT / "docs/researcher/records-cores.md", record_cores.text()
    for name, heading, notes, comma in READMES:
        path = ROOT / name
        before, first, second = path.read_text().split(BEGIN)
        between, after = (part.split(END, 1)[1] for part in (first, second))
        rows = read("uno.json")
        yield path, (before + BEGIN + joining(rows, heading, notes, comma) + END + between
                     + BEGIN + pairing(rows, PAIRING_WORDS[name], comma) + END + after)


def main():
    if sys.argv[1:] == ["--write"]:
        for path, content in pages():
            path.write_text(content)
    elif sys.argv[1:] == ["--check"]:
        stale = [str(path.relative_to(ROOT)) for path, content in pages()
                 if not path.exists() or path.read_text() != content]
        if stale:
            sys.exit(f"{', '.join(stale)}: not what tools/records.py writes: tools/records.py --write")
        print("records: 4 passed, 0 failed")
    else:
        print(text(), end="")


if __name__ == "__main__":
    main()
