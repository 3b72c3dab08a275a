#!/usr/bin/env python3
"""Compares flash and RAM of selo-lab's survey on the Uno with programs that call the same libraries by hand.

    tools/hand-footprint.py [--corpus FOLDER] [NAME...]

Each program is a few lines: buffers, the library's calls and nothing of the lab. avr-gcc builds it with the library
and without the calls, and the difference that avr-size gives is the library's cost. The libraries are small ones of
each kind, made from tests of this project, and some of lab/corpus.toml, which --corpus has
(tools/fetch-corpus.py). Prints a table in Markdown; exits with 1 if a figure differs by more than 16 bytes and 2 %.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLANTED = ROOT / "studies/cli/tests/lab/planted"

# The buffers are in both programs. What the compiler cannot see may be anything.
PROGRAM = """
#include <stddef.h>
#include <stdint.h>
static uint8_t in_bytes[304], out_bytes[304];
static uint8_t *volatile in_pointer = in_bytes, *volatile out_pointer = out_bytes;
static volatile uint16_t some_size;
volatile uint8_t seen;
#if CALLS
%s
#endif
int main(void)
{
    uint8_t *in = in_pointer, *out = out_pointer;
    uint16_t size = some_size;
#if CALLS
    %s
#endif
    seen = (uint8_t)(size ^ out[0] ^ in[0]);
    return 0;
}
"""

FLAGS = ["-mmcu=atmega328p", "-DF_CPU=16000000UL", "-Os", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]

# A program that gets a key or a block of another size refuses it, as the lab's glue does.
CHECK = "if (some_size != 16) return 1; "
CONTEXT = ('#include "aes.h"\nstatic aes_context context;', CHECK + "aes128_init(&context, in);" + CHECK + "aes128_encrypt_block(&context, in, out);")
CLASS = (
    '#include "AES128.h"\nstatic AES128 cipher;',
    CHECK + "cipher.setKey(in, 16);" + CHECK + "cipher.encryptBlock(out, in);",
)
# Texts that make another kind of a library: file, what is replaced, by what.
CONSTRUCTOR = (
    "aes.c",
    "    memcpy(out, state, 16);",
    "    memcpy(out, state, 16);\n    out[0] ^= filled[state[0] & 15];",
    "static uint8_t filled[16];\n__attribute__((constructor)) static void fill(void)\n"
    "{\n    for (uint8_t i = 0; i < 16; i++)\n        filled[i] = 0 * box[i];\n}\n\n",
)
HANDLER = (
    "aes.c",
    "    memcpy(out, state, 16);",
    "    memcpy(out, state, 16);",
    "#include <avr/interrupt.h>\nvolatile uint8_t ticks;\nISR(TIMER2_OVF_vect) { ticks++; }\n\n",
)
HEAP = (
    "aes.c",
    "    memcpy(state, in, 16);",
    "    uint8_t *volatile spare = malloc(16);\n    if (spare != NULL)\n        memcpy(spare, in, 16);\n    free(spare);\n    memcpy(state, in, 16);",
    "#include <stdlib.h>\n",
)
VIRTUAL = ("AES128.h", "    bool setKey", "    virtual ~AES128() {}\n    virtual bool setKey", "")

# name, what it is, folder, algorithm, operation, sources, the declarations and calls of the program, changes
KINDS = [
    ("context", "C with a context, table in RAM", "context", "aes-128", "encrypt", ["aes.c"], CONTEXT, []),
    (
        "global",
        "C with a global key",
        "global",
        "aes-128",
        "encrypt",
        ["cipher.c"],
        ('#include "cipher.h"', CHECK + "aes128_set_key(in);" + CHECK + "for (uint8_t i = 0; i < 16; i++) out[i] = in[i]; aes128_encrypt(out);"),
        [],
    ),
    ("constructor", "C with a constructor", "context", "aes-128", "encrypt", ["aes.c"], CONTEXT, [CONSTRUCTOR]),
    ("handler", "C with an interrupt handler", "context", "aes-128", "encrypt", ["aes.c"], CONTEXT, [HANDLER]),
    ("heap", "C with malloc", "context", "aes-128", "encrypt", ["aes.c"], CONTEXT, [HEAP]),
    ("class", "class for Arduino", "class", "aes-128", "encrypt", ["AES128.cpp"], CLASS, []),
    ("virtual", "class with virtual functions", "class", "aes-128", "encrypt", ["AES128.cpp"], CLASS, [VIRTUAL]),
]
OF_CORPUS = [
    (
        "tiny-aes-c",
        "C with a context",
        "aes-128",
        "encrypt",
        ["aes.c"],
        ('#include "aes.h"\n#include <string.h>\nstatic struct AES_ctx context;', CHECK + "AES_init_ctx(&context, in);" + CHECK + "memcpy(out, in, 16); AES_ECB_encrypt(&context, out);"),
    ),
    (
        "libcperciva",
        "C, large constants in flash",
        "sha-256",
        "hash",
        ["alg/sha256.c", "util/insecure_memzero.c"],
        ('#include "alg/sha256.h"', "SHA256_Buf(in, size, out);"),
    ),
    (
        "pyblake2",
        "C, unrolled",
        "blake2s",
        "hash",
        ["blake2s-ref.c"],
        ('#include "blake2.h"\nstatic blake2s_state state;', "blake2s_init(&state, 32); blake2s_update(&state, in, size); blake2s_final(&state, out, 32);"),
    ),
]


def weigh(arguments, folder):
    image = folder / "program.elf"
    done = subprocess.run(["avr-gcc", *FLAGS, *arguments, "-o", image], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"hand-footprint: {done.stderr[-1500:]}")
    text = subprocess.run(["avr-size", image], capture_output=True, text=True, check=True).stdout
    code, data, zeros = map(int, text.splitlines()[1].split()[:3])
    return code + data, data + zeros


def by_hand(library, sources, program):
    """Bytes of flash and RAM of a program that calls the library, less those of one that does not."""
    classes = any(name.endswith(".cpp") for name in sources)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        main = folder / ("main.cpp" if classes else "main.c")
        main.write_text(PROGRAM % program)
        flags = ["-include", "stdint.h", "-w", f"-I{library}", *(f"-I{library / Path(name).parent}" for name in sources), f"-I{library}/util", f"-I{library}/cpusupport"]
        own = [library / name for name in sources]
        if classes:
            core = Path("/usr/share/arduino/hardware/arduino/avr")
            flags += [f"-I{core}/cores/arduino", f"-I{core}/variants/standard", "-DARDUINO=10819", "-fno-exceptions", "-fno-threadsafe-statics", "-fpermissive", "-std=gnu++11"]
            flags += ["-DARDUINO_ARCH_AVR", "-DARDUINO_AVR_UNO"]
            own += [ROOT / "lab/firmware/arduino/serial.cpp", core / "cores/arduino/Print.cpp", ROOT / "lab/firmware/cxx/runtime.cpp"]
            flags += [f"-I{ROOT}/lab/firmware/agent"]
        with_calls = weigh([*flags, "-DCALLS=1", main, *own], folder)
        without = weigh([*flags, main], folder)
    return with_calls[0] - without[0], with_calls[1] - without[1]


def by_lab(command, library, algorithm, operation):
    words = [command, "survey", library, "--board", "uno", "--algorithm", algorithm, "--budget", "1", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    for line in done.stdout.splitlines():
        costs = [cost for cost in json.loads(line)["costs"] if cost["operation"] == operation]
        found = {cost["metric"]: cost.get("value") for cost in costs}
        if found.get("flash") is not None:
            return int(found["flash"]), int(found["ram"])
    sys.exit(f"hand-footprint: the survey of {library} has no figures: {done.stderr[-1500:]}")


def planted(folder, name, changes, into):
    place = into / name
    shutil.copytree(PLANTED / folder, place)
    shutil.copy(PLANTED / "box.h", place)
    for file, old, new, before in changes:
        text = (place / file).read_text()
        if text.count(old) == 0:
            sys.exit(f"hand-footprint: {file} has no '{old}'")
        text = text.replace(old, new, 1) if file != "box.h" else text.replace(old, new)
        if before:
            text = text.replace('#include "box.h"\n', '#include "box.h"\n\n' + before)
        (place / file).write_text(text)
    return place


def close(lab, hand):
    return abs(lab - hand) <= max(16, hand / 50)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--selo-lab", default=str(ROOT / "target/debug/selo-lab"))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    rows, wrong = [], []
    with tempfile.TemporaryDirectory() as folder:
        todo = [(name, what, planted(of, name, changes, Path(folder)), *rest) for name, what, of, *rest, changes in KINDS]
        if options.corpus:
            todo += [(name, what, (options.corpus / name).resolve(), *rest) for name, what, *rest in OF_CORPUS]
        for name, what, library, algorithm, operation, sources, program in todo:
            if options.names and name not in options.names:
                continue
            hand = by_hand(library, sources, program)
            lab = by_lab(options.selo_lab, library, algorithm, operation)
            rows.append(f"| {name} | {what} | {algorithm} {operation} | {lab[0]:,} | {hand[0]:,} | {lab[1]:,} | {hand[1]:,} |")
            print(rows[-1], file=sys.stderr)
            if not (close(lab[0], hand[0]) and close(lab[1], hand[1])):
                wrong.append(name)
    print("| Library | Kind | Operation | Flash, lab | Flash, by hand | RAM, lab | RAM, by hand |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    print("\n".join(rows))
    if wrong:
        print(f"hand-footprint: more than 16 bytes and 2 % apart: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
