#!/usr/bin/env python3
"""Prints the figures of the house at one or more commits, side by side: lines, crates, packages,
programs of tests, longest files and functions, circles between modules.

usage: tools/figures.py [--json] [COMMIT...]      (default: HEAD)

Only tracked files count. Lines are all lines of a file, comments and blank ones included. Packages
are those of Cargo.lock. A program of tests is a file of a crate's tests/ that cargo builds as a
program of its own. The longest files and functions, and the circles, are those of
tools/longest.py in the folders of Rust code.
"""

import argparse
import importlib.util
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Kinds of files whose lines are counted.
KINDS = {
    "lines of Rust": {".rs"},
    "lines of C": {".c", ".h", ".ino", ".cpp", ".hpp"},
    "lines of assembly": {".S"},
    "lines of scripts (shell, Python)": {".sh", ".py"},
    "lines of web pages (JS, CSS, HTML)": {".js", ".mjs", ".css", ".html"},
    "lines of documentation": {".md"},
}


def longest():
    """tools/longest.py as a module."""
    spec = importlib.util.spec_from_file_location("longest", ROOT / "tools" / "longest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def unpack(commit, folder):
    """The tracked files of a commit."""
    done = subprocess.run(["git", "-C", ROOT, "archive", commit], capture_output=True)
    if done.returncode:
        sys.exit(f"figures.py: {done.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")


def test_programs(crate):
    """The programs that cargo builds from a crate's tests/."""
    tests = crate / "tests"
    if not tests.is_dir():
        return 0
    named = re.findall(r"(?m)^\[\[test\]\]", (crate / "Cargo.toml").read_text())
    found = [path for path in tests.glob("*.rs")] + list(tests.glob("*/main.rs"))
    return len(named) or len(found)


def figures(folder):
    found = {}
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    for name, endings in KINDS.items():
        texts = [path.read_bytes() for path in files if path.suffix in endings]
        found[name] = sum(text.count(b"\n") for text in texts)
    crates = [path.parent for path in files if path.name == "Cargo.toml" and (path.parent / "src").is_dir()]
    # The root of the device library may be a crate, and the fuzzers' own is no part of the product.
    crates = [crate for crate in crates if crate.relative_to(folder).parts[:1] not in [(), ("fuzz",)]]
    found["crates"] = len(crates)
    found["packages in Cargo.lock"] = (folder / "Cargo.lock").read_text().count("[[package]]")
    found["programs of tests"] = sum(test_programs(crate) for crate in crates)
    tool = longest()
    tool.ROOT = folder
    houses = sorted({folder / crate.relative_to(folder).parts[0] for crate in crates})
    long = tool.measure(houses, 60, 400)
    found["longest file, lines"] = max((item["lines"] for item in long["files"]), default=0)
    found["files over 400 lines"] = len(long["files"])
    found["longest function, lines"] = max((item["lines"] for item in long["functions"]), default=0)
    found["functions over 60 lines"] = len(long["functions"])
    found["circles between modules"] = len(long["circles"])
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commits", nargs="*", default=["HEAD"], metavar="COMMIT")
    parser.add_argument("--json", action="store_true", help="print one JSON object a commit")
    options = parser.parse_args()
    columns = []
    for commit in options.commits:
        with tempfile.TemporaryDirectory() as folder:
            unpack(commit, folder)
            columns.append(figures(pathlib.Path(folder)))
    if options.json:
        for commit, column in zip(options.commits, columns):
            print(json.dumps({"commit": commit, **column}))
        return
    print("| figure | " + " | ".join(options.commits) + " |")
    print("|---|" + "---:|" * len(columns))
    for name in columns[0]:
        print(f"| {name} | " + " | ".join(f"{column[name]:,}" for column in columns) + " |")


if __name__ == "__main__":
    main()
