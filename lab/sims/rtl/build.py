#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the simulated cores: one program for each board with a table [rtl].

usage: lab/sims/rtl/build.py [--out DIR] [--suffix S] [--optimise N] [--verilator FLAG]... BOARD...
       (BOARD: names of lab/boards/, or `all`)
  --out        folder of the programs (default: target/sims)
  --suffix     is added to the program's name, for a second build of the same core
  --optimise   level of Verilator and of the compiler, 0 to 3 (default 3)
  --verilator  another flag for Verilator

The core's sources are a package of PyPI, pinned by version and digest in cores/CORE.toml. pip
fetches it once into target/archives; later builds need no network.
"""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
VERSION = "0.1.0"
HARNESS = ["main.cpp", "machine.cpp", "image.cpp"]


def fail(message, hint):
    sys.exit(f"rtl: {message}\nhint: {hint}")


def load(path):
    return tomllib.loads(path.read_text())


def boards():
    """The boards with a table [rtl], by name."""
    found = {path.stem: load(path) for path in sorted((ROOT / "lab/boards").glob("*.toml"))}
    return {name: board for name, board in found.items() if "rtl" in board}


def fetch(core):
    """The package's archive, from the cache or by pip, which checks the digest."""
    archives = ROOT / "target/archives"
    name = core["package"].replace("-", "_")
    archive = archives / f"{name}-{core['version']}-py3-none-any.whl"
    if not archive.exists():
        archives.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            pinned = pathlib.Path(folder) / "requirements.txt"
            pinned.write_text(f"{core['package']}=={core['version']} --hash=sha256:{core['sha256']}\n")
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes",
                       "--disable-pip-version-check", "--only-binary", ":all:",
                       "-r", str(pinned), "-d", str(archives)]
            if subprocess.run(command).returncode != 0:
                fail(f"cannot fetch {core['package']} {core['version']}", "pip needs a network once")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != core["sha256"]:
        fail(f"{archive} has the digest {digest}, not {core['sha256']}", "delete it to fetch it again")
    return archive


def unpack(core):
    """The folder of the core's sources."""
    archive = fetch(core)
    folder = ROOT / "target/sources" / f"{core['package']}-{core['sha256'][:16]}"
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as fresh:
            zipfile.ZipFile(archive).extractall(pathlib.Path(fresh) / "all")
            os.rename(pathlib.Path(fresh) / "all", folder)
    return folder / core["root"]


def verilator_command(name, board, work, options):
    """Verilator's command line for a board."""
    rtl = board["rtl"]
    core = load(HERE / "cores" / f"{rtl['core']}.toml")
    sources = unpack(core)
    parameters = [f"-DCFG_{key}={value}" for key, value in rtl.get("parameters", {}).items()]
    files = core["sources"] + ([rtl["source"]] if "source" in rtl else [])
    level = options.optimise
    flags = f"-O{level} -std=c++17 -DSELO_CORE='\"{name}\"' -DSELO_VERSION='\"{VERSION}\"'"
    flags += f" -DSELO_DATA_CACHE={int(rtl.get('data_cache', False))} -I{HERE}"
    return ["verilator", "--cc", "--exe", "--build", "-j", "2", "--quiet-exit",
            "--top-module", "selo_core", "--prefix", "Vselo_core", "-Mdir", str(work),
            "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-UNOPTFLAT", "--x-assign", "fast", "--x-initial", "fast",
            "--noassert", f"-O{level}", *core.get("verilator", []), *options.verilator, "-CFLAGS", flags,
            "-MAKEFLAGS", f"OPT_FAST=-O{level} OPT_SLOW=-O0 OPT_GLOBAL=-O{level}",
            "-o", f"selo-rtl-{name}",
            *[f"-D{define}" for define in core["defines"]], *parameters,
            *[f"-I{sources / folder}" for folder in core["include"]],
            *[word for folder in (HERE / "cores", *(sources / name for name in core["modules"]))
              for word in ("-y", str(folder))],
            *[str(sources / file) for file in files], str(HERE / "cores" / core["wrapper"]),
            *[str(HERE / file) for file in HARNESS]]


def stamp_of(command):
    """All that the program is made from: the command, our own files, Verilator."""
    version = subprocess.run(["verilator", "--version"], capture_output=True, text=True).stdout
    own = [path.read_text() for path in sorted([*HERE.glob("*.cpp"), *HERE.glob("*.h"), *HERE.glob("cores/*")])]
    return hashlib.sha256(json.dumps([command, version, own]).encode()).hexdigest()


def build(name, board, options):
    """Builds the program of a board, unless it is there and made from the same."""
    program = options.out / f"selo-rtl-{name}{options.suffix}"
    stamp = program.with_name(program.name + ".stamp")
    work = ROOT / "target/rtl" / (name + options.suffix)
    try:
        command = verilator_command(name, board, work, options)
        made_from = stamp_of(command)
        if program.exists() and stamp.exists() and stamp.read_text() == made_from:
            return
        work.mkdir(parents=True, exist_ok=True)
        log = work / "build.log"
        with log.open("w") as output:
            code = subprocess.run(command, stdout=output, stderr=output).returncode
    except FileNotFoundError:
        fail("there is no verilator", "apt-get install verilator")
    if code != 0:
        print("\n".join(log.read_text().splitlines()[-15:]), file=sys.stderr)
        fail(f"{name} could not be built", f"the whole log is {log.relative_to(ROOT)}")
    options.out.mkdir(parents=True, exist_ok=True)
    os.replace(work / f"selo-rtl-{name}", program)
    stamp.write_text(made_from)
    print(f"rtl: {program.name} from {load(HERE / 'cores' / (board['rtl']['core'] + '.toml'))['title']}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--out", type=lambda path: pathlib.Path(path).resolve(), default=ROOT / "target/sims")
    parser.add_argument("--suffix", default="")
    parser.add_argument("--optimise", type=int, default=3)
    parser.add_argument("--verilator", action="append", default=[])
    parser.add_argument("boards", nargs="+")
    options = parser.parse_args()
    known = boards()
    for name in known if options.boards == ["all"] else options.boards:
        if name not in known:
            fail(f"'{name}' is no board with a table [rtl]", f"one of: {', '.join(known)}")
        build(name, known[name], options)


if __name__ == "__main__":
    main()
