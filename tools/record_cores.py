"""Prints docs/researcher/records-cores.md: Selo's figures on 32-bit cores beside those of other
libraries.

The measured cells and the published figures are in bench/records-cores.json. To measure a board
again, run the command at the head of the page with --json and pass its output:
tools/record_cores.py BOARD CELLS.jsonl
"""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "bench/records-cores.json"
UNITS = {"cycles": "modelled cycles", "instructions": "instructions"}

HEAD = """# Records on 32-bit cores

This page compares Selo's fastest variant with the fastest variant of another library that the lab measured with the
same compiler, and with the best published figure. `tools/records.py --write` prints it. The figures of Cortex-M are
modelled cycles (`cycle-model`) without wait states, METRIC `cycles`. Those of the other cores are instructions that an
emulator counted (`instructions`), METRIC `instructions`, and no cycles. They come from one run for each BOARD of:

```
selo lab matrix --board BOARD --library LIBRARIES --metric METRIC --json \\
    --algorithm ALGORITHMS > BOARD.jsonl
python3 tools/record_cores.py BOARD BOARD.jsonl
```

LIBRARIES is `selo,bearssl,libsodium,libtomcrypt,wolfcrypt,mbedtls,monocypher,cifra`, and ALGORITHMS is
`x25519,aes-128,aes-128-gcm,sha-256,sha-512,sha3-256,blake2s,chacha20-poly1305,ascon-aead128,ascon-hash256`.
A published figure comes from its authors' compiler and board, so its ratio is a comparison of magnitudes only.
A ratio below 1 is in Selo's favour. The fastest AES of Mbed TLS, wolfCrypt and LibTomCrypt uses tables, whose time
depends on secrets where a cache lies between the core and the tables. Selo's AES has no tables, except in the rows "tables in
RAM" (variant `table`, `SELO_AES_TABLES=1` and `SELO_AES_SBOX_IN_RAM=1`): they are for chips without a cache in front
of their RAM. On a Cortex-M3 the instruction UMULL takes
a time that depends on its factors; other libraries use it there for X25519 and Poly1305, and Selo does not. A faster
row of such a library is faster all the same.
"""


def number(value):
    return f"{value:,.0f}"


def rows(board):
    """Selo's and the best other figure of every operation of a board."""
    for cell in board["cells"]:
        selo, other, best = cell["selo"], cell.get("other"), cell.get("published")
        if not other and not best:
            first = "no other figure"
        elif not other or selo <= other["value"]:
            first = "Selo"
        else:
            first = other["library"]
        if best and min(selo, other["value"] if other else selo) > best["value"]:
            first = "published"
        yield "| " + " | ".join((
            cell["what"], number(selo), number(other["value"]) if other else "not offered",
            other["library"] if other else "", f"{selo / other['value']:.2f}" if other else "",
            number(best["value"]) if best else "", best["source"] if best else "",
            f"{selo / best['value']:.2f}" if best else "", first)) + " |"


def text():
    lines = [HEAD]
    for board in json.loads(DATA.read_text()):
        lines += [f"## {board['core']} (`{board['board']}`), {UNITS[board['metric']]}\n",
                  "| operation | Selo | best other here | library | ratio | published | source | ratio | fastest |",
                  "|---|--:|--:|---|--:|--:|---|--:|---|", *rows(board), ""]
    return "\n".join(lines)


def update(name, path):
    """Replaces the measured cells of a board; the published figures stay."""
    boards = json.loads(DATA.read_text())
    board = next(entry for entry in boards if entry["board"] == name)
    found = {}
    for line in pathlib.Path(path).read_text().splitlines():
        row = json.loads(line)
        if row["board"] != name or row["metric"] != board["metric"] or not row["value"] or row["operation"] == "key-setup":
            continue
        size = f", {row['bytes']} bytes" if row["bytes"] else ""
        figure = (round(row["value"]), row["library"], row["variant"])
        tables = figure[1:] == ("selo", "table")
        for with_tables in (True,) if tables else (False,) if row["library"] == "selo" else (False, True):
            algorithm = row["algorithm"] + (", tables in RAM" if with_tables else "")
            found.setdefault(f"{algorithm}, {row['operation']}{size}", []).append(figure)
    published = {cell["what"]: cell["published"] for cell in board["cells"] if "published" in cell}
    board["cells"] = []
    for what, figures in found.items(): # with tables only where Selo has them
        selo = [value for value, library, _ in figures if library == "selo"]
        if not selo:
            continue
        cell = {"what": what, "selo": min(selo)}
        others = [figure for figure in figures if figure[1] != "selo"]
        if others:
            value, library, variant = min(others)
            cell["other"] = {"value": value, "library": f"{library} {variant}"}
        if what in published:
            cell["published"] = published[what]
        board["cells"].append(cell)
    DATA.write_text(json.dumps(boards, indent=1) + "\n")


if __name__ == "__main__":
    update(*sys.argv[1:])
