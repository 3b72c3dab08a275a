#!/usr/bin/env python3
"""Runs a test of kernels (run.sh, ../avr/kernel.sh) on an emulated core and prints its output.

usage: tests/arm/emulate.py MODEL PLUGIN IMAGE QEMU ARGUMENT...
environment: OBJCOPY  the tool of the image's target (default: arm-none-eabi-objcopy)

MODEL is the name of a cycle model in lab/boards/models, or "-". QEMU and its arguments are a
command line; {image} stands for IMAGE. The image marks every call that it times, and the plugin
(lab/sims/qemu) counts its instructions by class. Where PLUGIN is "-", the command is a simulator
that counts cycles itself (lab/sims/rp2040js).

A line "! NAME calls=N stack=S" of the image becomes "! NAME cycles=C instructions=I stack=S". The
N calls must have the same instructions of every class, else "! NAME UNEQUAL" is printed: a kernel
takes the same time for all data. The cycles are modelled, and 0 without a model. A call of an empty
function stands before them, which costs a return; only the other instructions of the call, its
marks and the BLX, JALR or CALLX0, are taken off.
"""

import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import tomllib

OBJCOPY = os.environ.get("OBJCOPY", "arm-none-eabi-objcopy")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def spans(text):
    """The class counts of each span in what the plugin reported."""
    found = []
    for line in text.splitlines():
        if line.startswith("span "):
            found.append({name: int(count) for name, count in
                          (field.split("=") for field in line.split()[1:])})
    return found


def cycles(model, span):
    if "cycles" in span:
        return span["cycles"]
    if model is None:
        return 0
    costs = model["cycles"]
    return sum(costs[name] * count for name, count in span.items() if name != "instructions")


def marks_of(image, folder):
    """[(1 or 2, address)] of the image's marks."""
    marks = []
    for mark in (1, 2):
        path = pathlib.Path(folder) / f"mark{mark}"
        subprocess.run([OBJCOPY, "--dump-section", f".selo.mark{mark}={path}",
                        image, "/dev/null"], check=True, capture_output=True)
        data = path.read_bytes()
        marks += [(mark, f"{int.from_bytes(data[i:i + 4], 'little'):#x}") for i in range(0, len(data), 4)]
    return marks


def run_alone(image, command):
    """What the image printed, and what a simulator reported that counts by itself."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report"
        marks = [word for mark, address in marks_of(image, folder) for word in (f"--mark{mark}", address)]
        done = subprocess.run([*command, "--report", str(report), *marks, image],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        sys.stderr.write(done.stderr)
        return done.stdout, report.read_text() if report.exists() else ""


def run(plugin, image, command):
    """What the image printed, and what the plugin reported."""
    with tempfile.TemporaryDirectory() as folder:
        marks = [f"mark{mark}={address}" for mark, address in marks_of(image, folder)]
        server = socket.socket(socket.AF_UNIX)
        server.bind(os.path.join(folder, "report"))
        server.listen(1)
        report = []

        def receive():
            connection, _ = server.accept()
            while data := connection.recv(65536):
                report.append(data)

        receiver = threading.Thread(target=receive, daemon=True)
        receiver.start()
        plugged = ["-plugin", ",".join([plugin, f"report={folder}/report", *marks])]
        done = subprocess.run([command[0], *plugged, *(word.replace("{image}", image)
                                                      for word in command[1:])],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        sys.stderr.write(done.stderr)
        receiver.join(10)  # QEMU has ended, and with it the connection, unless there was none
        server.close()
        return done.stdout, b"".join(report).decode()


def main():
    name, plugin, image, *command = sys.argv[1:]
    path = ROOT / "lab/boards/models" / f"{name}.toml"
    model = None if name == "-" else tomllib.loads(path.read_text())
    text, report = run_alone(image, command) if plugin == "-" else run(plugin, image, command)
    left = spans(report)
    for line in text.splitlines():
        if not line.startswith("! "):
            print(line)
            continue
        _, what, calls, stack = line.split()
        calls = int(calls.split("=")[1])
        nothing, timed, left = left[0], left[1:1 + calls], left[1 + calls:]
        if len(timed) != calls or any(span != timed[0] for span in timed):
            print(f"! {what} UNEQUAL")
            continue
        instructions = timed[0]["instructions"] - nothing["instructions"] + 1
        modelled = cycles(model, timed[0]) - cycles(model, nothing)
        modelled += model["cycles"]["jump-register"] if model else 0
        print(f"! {what} cycles={modelled} instructions={instructions} {stack}")


if __name__ == "__main__":
    main()
