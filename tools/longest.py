#!/usr/bin/env python3
"""Prints the longest Rust files and functions, and the circles between modules of a crate.

usage: tools/longest.py [--json] [--lines N] [--file-lines N] [FOLDER...]
  FOLDER          folders to search; default: every crate of the workspace
  --lines N       list functions longer than N lines; default 60
  --file-lines N  list files longer than N lines; default 400
  --json          print one JSON object: {"files", "functions", "circles"}

A function's length counts the lines from its `fn` to its closing brace. A module depends on
another if its code names an item defined there, through `crate::`, `super::`, `self::` or the
name of a child. Code under `#[cfg(test)]` does not count. A re-export (`pub use`) does not count
either: its names are followed to their definitions. A circle is a set of modules that all depend
on each other, directly or indirectly.
"""

import argparse
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?\'(?:\\(?:x..|u\{[^}]*\}|.)|[^\'\\])\'',
    re.DOTALL,
)
FUNCTION = re.compile(r"\bfn\s+(\w+)")
TEST = re.compile(r"#\[cfg\(test\)\]")
USE = re.compile(r"(\bpub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);")
CHILD = re.compile(r"\bmod\s+(\w+)\s*;")
PATH = re.compile(r"\b(?:crate|self|super)(?:\s*::\s*\w+)+")


def code_only(text):
    """The text with comments, strings and characters replaced by spaces. Lines stay the same."""
    return NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def block_end(code, start):
    """The offset after the item that begins at `start`: after its block or its semicolon."""
    depth = 0
    for at in range(start, len(code)):
        if code[at] in "([{":
            depth += 1
        elif code[at] in ")]}":
            depth -= 1
            if depth == 0 and code[at] == "}":
                return at + 1
        elif code[at] == ";" and depth == 0:
            return at + 1
    return len(code)


def functions(path, code):
    """(lines, path, line, name) of each function with a body."""
    for found in FUNCTION.finditer(code):
        end = block_end(code, found.start())
        if code[end - 1] == "}":
            line = code.count("\n", 0, found.start()) + 1
            yield code.count("\n", found.start(), end) + 1, path, line, found[1]


def without_tests(code):
    """The code without the items that are compiled only for tests."""
    while found := TEST.search(code):
        end = block_end(code, found.end())
        # The brackets of further attributes belong to the same item.
        code = code[: found.start()] + " " * (end - found.start()) + code[end:]
    return code


def flat(tree):
    """The paths of a `use` tree, as lists of names; `*` stays as the last name."""
    tree = re.sub(r"\s+", " ", tree).strip()
    opened = tree.find("{")
    if opened < 0:
        path, _, alias = tree.partition(" as ")
        return [([name.strip() for name in path.split("::") if name.strip()], alias.strip())]
    head = [name.strip() for name in tree[:opened].split("::") if name.strip()]
    parts, depth, last = [], 0, opened + 1
    for at in range(opened, len(tree)):
        depth += {"{": 1, "}": -1}.get(tree[at], 0)
        if (tree[at] == "," and depth == 1) or depth == 0:
            parts.append(tree[last:at])
            last = at + 1
        if depth == 0:
            break
    return [(head + path, alias) for part in parts if part.strip() for path, alias in flat(part)]


class Crate:
    """The modules of one crate, each a file, with the names that each uses of the others."""

    def __init__(self, folder):
        self.uses = {}
        self.exports = {}
        source = folder / "src"
        for path in sorted(source.rglob("*.rs")):
            parts = list(path.relative_to(source).with_suffix("").parts)
            if parts[-1] in ("mod", "lib", "main"):
                parts.pop()
            if parts[:1] != ["bin"] and parts[-1:] != ["tests"]:
                self.read(tuple(parts), without_tests(code_only(path.read_text())))

    def read(self, module, code):
        uses, exports = [], {}
        for found in USE.finditer(code):
            for path, alias in flat(found[2]):
                path = path[:-1] if path[-1:] == ["self"] and len(path) > 1 else path
                if found[1]:
                    exports[alias or path[-1]] = path
                else:
                    uses.append(path)
        code = USE.sub("", code)
        uses += [re.split(r"\s*::\s*", found) for found in PATH.findall(code)]
        for child in CHILD.findall(code):
            calls = re.findall(rf"(?<!::)\b{child}(?:\s*::\s*\w+)+", code)
            uses += [["self"] + re.split(r"\s*::\s*", call) for call in calls]
        self.uses[module] = uses
        self.exports[module] = exports

    def absolute(self, module, path):
        """A path from the crate's root, or None if it leaves the crate."""
        if path[0] == "crate":
            return tuple(path[1:])
        base, at = module, 0
        while at < len(path) and path[at] in ("super", "self"):
            base = base[:-1] if path[at] == "super" else base
            at += 1
        if at == 0 and module + (path[0],) not in self.uses:
            return None
        return base + tuple(path[at:])

    def home(self, path, depth=0):
        """The module that defines the item of a path from the root."""
        for size in range(len(path), -1, -1):
            module = path[:size]
            if module not in self.uses:
                continue
            export = self.exports[module].get(path[size]) if size < len(path) else None
            target = export and self.absolute(module, export)
            if target is not None and depth < 8:
                return self.home(target + path[size + 1 :], depth + 1)
            return module
        return ()

    def edges(self):
        found = {}
        for module, uses in self.uses.items():
            targets = (self.absolute(module, path) for path in uses)
            homes = {self.home(target) for target in targets if target}
            found[module] = homes - {module}
        return found


def circles(edges):
    """Sets of modules that depend on each other."""

    def reach(start):
        seen, open_ = set(), [start]
        while open_:
            for target in edges.get(open_.pop(), ()):
                if target not in seen:
                    seen.add(target)
                    open_.append(target)
        return seen

    reached = {module: reach(module) for module in edges}
    groups = {
        frozenset([module] + [other for other in reached[module] if module in reached[other]])
        for module in edges
        if module in reached[module]
    }
    return sorted(sorted("::".join(("crate",) + module) for module in group) for group in groups)


def circles_in(folders):
    """[{"crate": ..., "modules": [...]}] of all crates below the folders."""
    found = []
    for folder in folders:
        for manifest in sorted(folder.rglob("Cargo.toml")):
            if (manifest.parent / "src").is_dir():
                name = str(manifest.parent.relative_to(ROOT))
                rings = circles(Crate(manifest.parent).edges())
                found += [{"crate": name, "modules": ring} for ring in rings]
    return found


def measure(folders, lines, file_lines):
    files, long = [], []
    for folder in folders:
        for path in sorted(folder.rglob("*.rs")):
            if "target" in path.relative_to(folder).parts:
                continue
            text = path.read_text()
            shown = str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)
            if text.count("\n") > file_lines:
                files.append((text.count("\n"), shown))
            long += [item for item in functions(shown, code_only(text)) if item[0] > lines]
    return {
        "files": [{"lines": n, "path": path} for n, path in sorted(files, reverse=True)],
        "functions": [
            {"lines": n, "path": path, "line": line, "name": name}
            for n, path, line, name in sorted(long, reverse=True)
        ],
        "circles": circles_in(folders),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="*", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--lines", type=int, default=60)
    parser.add_argument("--file-lines", type=int, default=400)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--circles", action="store_true", help="only the circles, which is faster")
    options = parser.parse_args()
    houses = [ROOT / name for name in ("base", "lab", "site", "studies")]
    folders = [folder.resolve() for folder in options.folders] or houses
    for folder in folders:
        if not folder.is_dir():
            sys.exit(f"longest.py: {folder} is not a folder")
    if options.circles:
        found = {"circles": circles_in(folders)}
    else:
        found = measure(folders, options.lines, options.file_lines)
    if options.json:
        print(json.dumps(found))
        return
    if not options.circles:
        print_long(found, options)
    print(f"circles between modules: {len(found['circles'])}")
    for item in found["circles"]:
        print(f"  {item['crate']}: {', '.join(item['modules'])}")


def print_long(found, options):
    print(f"files over {options.file_lines} lines: {len(found['files'])}")
    for item in found["files"]:
        print(f"  {item['lines']:5}  {item['path']}")
    print(f"functions over {options.lines} lines: {len(found['functions'])}")
    for item in found["functions"]:
        print(f"  {item['lines']:5}  {item['path']}:{item['line']} {item['name']}")


if __name__ == "__main__":
    main()
