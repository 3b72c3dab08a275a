#!/usr/bin/env python3
"""Checks the dependencies in the lock files, without a network.

- Licences: deny.toml allows the licence of each crate and each npm package.
- Sources: each package comes from its registry and has a checksum.
- Unmaintained crates: `kept` lists each one in the command's dependency graph, with a reason.
- rust-version: the one in Cargo.toml is at least the newest that a dependency requires.

Advisories change daily, and no registry carries their database, so `tools/advisories.sh` fetches
them over the network. It needs cargo-deny, which takes minutes to build; this check needs only
Python, and checks npm packages too.

usage: tools/check-dependencies.py
"""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ("site/web/package-lock.json", "site/web/tests/package-lock.json", "lab/sims/avr8js/package-lock.json")
COMMAND = "selo"


def is_allowed(expression, allowed):
    """True if allowed licences satisfy an SPDX expression."""
    text = expression.strip()
    alternatives = split(text, "OR") or split(text.replace("/", " OR "), "OR")
    if alternatives:
        return any(is_allowed(part, allowed) for part in alternatives)
    parts = split(text, "AND")
    if parts:
        return all(is_allowed(part, allowed) for part in parts)
    if text.startswith("(") and text.endswith(")"):
        return is_allowed(text[1:-1], allowed)
    return text in allowed


def split(text, word):
    """Splits an expression at a word outside parentheses. Empty if the word does not occur there."""
    parts, depth, start = [], 0, 0
    for match in re.finditer(rf"[()]|\s{word}\s", text):
        if match[0] == "(":
            depth += 1
        elif match[0] == ")":
            depth -= 1
        elif depth == 0:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]] if parts else []


def version(text):
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    return tuple((numbers + [0, 0, 0])[:3])


def graph_of(metadata, name):
    """The ids of the packages that a program links, without those that only tests or builds use."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    start = [p["id"] for p in metadata["packages"] if p["name"] == name and not p["source"]]
    seen = set()
    while start:
        package = start.pop()
        if package in seen:
            continue
        seen.add(package)
        for dependency in nodes[package]["deps"]:
            if any(kind["kind"] != "dev" for kind in dependency["dep_kinds"]):
                start.append(dependency["pkg"])
    return seen


def faults_of_crates(metadata, rules):
    outside = [package for package in metadata["packages"] if package["source"]]
    for package in outside:
        name = f"{package['name']} {package['version']}"
        if not is_allowed(package["license"] or "", rules["licences"]):
            yield f"{name}: the licence '{package['license']}' is not allowed"
        if not package["source"].startswith("registry+"):
            yield f"{name}: not from the registry"
    graph = graph_of(metadata, COMMAND)
    linked = {package["name"] for package in outside if package["id"] in graph}
    for name, advisory in rules["unmaintained"].items():
        if name in linked and not rules["kept"].get(name):
            yield f"{name}: unmaintained ({advisory}), and tools/dependencies.json gives no reason to keep it"
    for name in rules["kept"]:
        if name not in linked:
            yield f"{name}: kept by tools/dependencies.json, but nothing uses it"


def faults_of_rust_version(metadata):
    stated = read_toml("Cargo.toml")["workspace"]["package"].get("rust-version")
    if not stated:
        yield "Cargo.toml: no rust-version"
        return
    asked = [p for p in metadata["packages"] if p["source"] and p["rust_version"]]
    newest = max(asked, key=lambda package: version(package["rust_version"]))
    if version(stated) < version(newest["rust_version"]):
        yield (
            f"Cargo.toml: rust-version is {stated}, but {newest['name']} {newest['version']} "
            f"needs {newest['rust_version']}"
        )


def faults_of_npm(path, rules):
    lock = json.loads((ROOT / path).read_text())
    for place, package in lock["packages"].items():
        if not place or package.get("link"):
            continue
        package_name = place.rpartition("node_modules/")[2]
        name = f"{path}: {package_name} {package.get('version')}"
        is_tool = path.startswith("site/web/tests/") and package_name in rules["licences_of_tools"]
        if not is_tool and not is_allowed(package.get("license", ""), rules["licences"]):
            yield f"{name}: the licence '{package.get('license')}' is not allowed"
        if not package.get("integrity", "").startswith("sha512-"):
            yield f"{name}: no checksum"


def read_toml(path):
    return tomllib.loads((ROOT / path).read_text())


def metadata_of(root):
    words = ["cargo", "metadata", "--format-version", "1", "--locked"]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"cargo metadata fails:\n{done.stderr}")
    return json.loads(done.stdout)


def main():
    rules = json.loads((ROOT / "tools/dependencies.json").read_text())
    rules["licences"] = read_toml("deny.toml")["licenses"]["allow"]
    metadata = metadata_of(ROOT)
    checks = {
        "crates": list(faults_of_crates(metadata, rules)),
        "rust-version": list(faults_of_rust_version(metadata)),
    }
    for path in LOCKS:
        checks[path] = list(faults_of_npm(path, rules))
    failed = 0
    for faults in checks.values():
        failed += bool(faults)
        for fault in faults:
            print(fault, file=sys.stderr)
    print(f"dependencies: {len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
