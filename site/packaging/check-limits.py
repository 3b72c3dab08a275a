#!/usr/bin/env python3
"""Checks the limits of units and containers: each service must have limits, and a service must
have the same limits in both. Prints one line per fault.

usage: site/packaging/check-limits.py
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MEMORY = ("MemoryHigh", "MemoryMax")
NUMBERS = ("TasksMax", "LimitNOFILE")
FIXED = {"LimitCORE": "0", "MemorySwapMax": "0", "NoNewPrivileges": "yes", "KeyringMode": "private"}
# Selo's services in compose.yaml, and their units.
UNITS = {"gateway": "selo-gateway", "collector": "selo-collector"}


def keys_of(unit):
    """The keys and values of a unit's [Service] section."""
    text = unit.read_text().split("[Service]", 1)[1].split("\n[", 1)[0]
    return dict(re.findall(r"^(\w+)=(.*)$", text, re.M))


def faults_of_unit(name, keys):
    for key in MEMORY:
        if not re.fullmatch(r"[1-9]\d*M", keys.get(key, "")):
            yield f"{name}: {key} is not a number of megabytes"
    for key in NUMBERS:
        if not re.fullmatch(r"[1-9]\d*", keys.get(key, "")):
            yield f"{name}: {key} is not a number"
    for key, value in FIXED.items():
        if keys.get(key) != value:
            yield f"{name}: {key} is not {value}"
    high, most = (keys.get(key, "").rstrip("M") for key in MEMORY)
    if high.isdigit() and most.isdigit() and int(high) >= int(most):
        yield f"{name}: MemoryHigh is not below MemoryMax"


def services_of(compose):
    """The blocks of the services in compose.yaml, by name."""
    text = compose.read_text().split("\nservices:\n", 1)[1].split("\nvolumes:\n", 1)[0]
    blocks = re.split(r"^  (\w+):\n", text, flags=re.M)[1:]
    return dict(zip(blocks[::2], blocks[1::2]))


def faults_of_containers(services, units):
    for name, block in services.items():
        memory = re.search(r"^    mem_limit: (\d+[mg])$", block, re.M)
        tasks = re.search(r"^    pids_limit: (\d+)$", block, re.M)
        if not memory:
            yield f"compose.yaml: {name} has no mem_limit"
        if not tasks:
            yield f"compose.yaml: {name} has no pids_limit"
        keys = units.get(UNITS.get(name), {})
        if keys and memory and memory[1].upper() != keys.get("MemoryMax"):
            yield f"compose.yaml: mem_limit of {name} differs from MemoryMax of its unit"
        if keys and tasks and tasks[1] != keys.get("TasksMax"):
            yield f"compose.yaml: pids_limit of {name} differs from TasksMax of its unit"


def main():
    files = sorted((HERE / "systemd").glob("*.service"))
    units = {file.stem: keys_of(file) for file in files}
    faults = [fault for name, keys in units.items() for fault in faults_of_unit(name, keys)]
    services = services_of(HERE / "compose.yaml")
    faults += faults_of_containers(services, units)
    if not units or not services:
        faults.append("found no units or no services")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
