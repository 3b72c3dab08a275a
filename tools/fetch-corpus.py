#!/usr/bin/env python3
"""Fetches the libraries of lab/corpus.toml and unpacks each into FOLDER/NAME.

    tools/fetch-corpus.py FOLDER [NAME...]

Each registry's own client fetches the archive: pip, npm, cargo, apt-get. The digest in lab/corpus.toml is
checked before anything is unpacked. Of each archive the whole is kept in FOLDER/.whole, because a library may
include files beside its folder; FOLDER/NAME is a link to the folder that the list names. What is there already
is not fetched again. Debian's sources need a deb-src line; a private list is made of /etc/apt's in FOLDER/.apt.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(*words, folder):
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.returncode == 0, (done.stderr or done.stdout).strip()[-400:]


def from_pypi(entry, folder):
    """pip keeps what it downloads before it asks the archive for its metadata, which may fail with a new Python."""
    wanted = f"{entry['package']}=={entry['version']}"
    return run("pip", "download", "--quiet", "--no-deps", "--no-binary", entry["package"], "--dest", ".", wanted, folder=folder)


def from_npm(entry, folder):
    fine, message = run("npm", "pack", "--silent", "--ignore-scripts", f"{entry['package']}@{entry['version']}", folder=folder)
    return fine, message


def from_crates(entry, folder):
    """cargo checks a crate out into its cache, where the archive lies as well."""
    (folder / "src").mkdir()
    (folder / "src/lib.rs").touch()
    (folder / "home").mkdir()
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n[dependencies]\n'
        f'{entry["package"]} = "={entry["version"]}"\n'
    )
    words = ["env", f"CARGO_HOME={folder}/home", "cargo", "fetch", "--quiet"]
    fine, message = run(*words, folder=folder)
    for archive in folder.glob(f"home/registry/cache/*/{entry['archive']}"):
        shutil.move(archive, folder / entry["archive"])
    return fine, message


def apt_options(folder):
    """Options that let apt-get see Debian's sources without changing the machine's lists."""
    apt = folder / ".apt"
    if not apt.is_dir():
        (apt / "lists/partial").mkdir(parents=True)
        files = [*Path("/etc/apt").glob("sources.list"), *Path("/etc/apt/sources.list.d").glob("*.list")]
        lines = [line for file in files for line in file.read_text().splitlines()]
        text = "".join(re.sub(r"^deb\s", "deb-src ", line) + "\n" for line in lines if line.startswith("deb "))
        (apt / "sources.list").write_text(text)
        (apt / "parts").mkdir()
        for file in Path("/etc/apt/sources.list.d").glob("*.sources"):
            text = re.sub(r"(?m)^Types:.*$", "Types: deb-src", file.read_text())
            (apt / "parts" / file.name).write_text(text)
    options = {
        "Dir::Etc::sourcelist": apt / "sources.list",
        "Dir::Etc::sourceparts": apt / "parts",
        "Dir::State::lists": apt / "lists",
    }
    return [word for name, value in options.items() for word in ("-o", f"{name}={value}")]


def from_debian(entry, folder):
    options = apt_options(folder.parent)
    lists = folder.parent / ".apt/lists"
    if not any(lists.glob("*Sources*")):
        fine, message = run("apt-get", *options, "update", "--quiet=2", folder=folder)
        if not fine:
            return fine, message
    wanted = f"{entry['package']}={entry['version']}"
    return run("apt-get", *options, "source", "--download-only", "--quiet=2", wanted, folder=folder)


CLIENTS = {"pypi": from_pypi, "npm": from_npm, "crates": from_crates, "debian": from_debian}


def unpack(archive, folder):
    """Unpacks an archive without its single top folder."""
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(folder)
    else:
        with tarfile.open(archive) as opened:
            opened.extractall(folder, filter="data")
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def fetch(entry, base):
    """Returns the message of a failure, or None."""
    link = base / entry["name"]
    if link.is_dir():
        return None
    whole = base / ".whole" / entry["archive"]
    if not whole.is_dir():
        with tempfile.TemporaryDirectory(dir=base) as name:
            folder = Path(name)
            fine, message = CLIENTS[entry["registry"]](entry, folder)
            archive = folder / entry["archive"]
            if not archive.is_file():
                return f"{entry['registry']} has no {entry['archive']}: {message}" if not fine else "another archive came"
            if hashlib.sha256(archive.read_bytes()).hexdigest() != entry["sha256"]:
                return f"{entry['archive']} has another digest than lab/corpus.toml"
            unpacked = folder / "unpacked"
            unpacked.mkdir()
            whole.parent.mkdir(exist_ok=True)
            os.rename(unpack(archive, unpacked), whole)
    if not (whole / entry["folder"]).is_dir():
        return f"{entry['archive']} has no folder {entry['folder']}"
    link.symlink_to(whole / entry["folder"])
    return None


def main(words):
    if not words or words[0].startswith("-"):
        print(__doc__)
        return 2
    base = Path(words[0]).resolve()
    base.mkdir(parents=True, exist_ok=True)
    libraries = tomllib.loads((ROOT / "lab/corpus.toml").read_text())["library"]
    libraries = [entry for entry in libraries if not words[1:] or entry["name"] in words[1:]]
    failed = 0
    for at, entry in enumerate(libraries, 1):
        message = fetch(entry, base)
        failed += message is not None
        print(f"[{at}/{len(libraries)}] {entry['name']}: {message or 'here'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
