#!/usr/bin/env python3
"""Plays the sketch LinkOverSerial on the simulated Uno against the command `selo gateway`, with the
bridge of the sketch's folder between them: pairs them, opens three readings at the gateway, switches
the board off and on, and opens another.

usage: link-over-serial.py SELO RUNNER SKETCH.elf OUT_FOLDER STATIC_END
"""
import json
import os
import pty
import re
import select
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

selo, runner, sketch, out = (Path(a) for a in sys.argv[1:5])
static_end = sys.argv[5]
root = Path(__file__).resolve().parents[2]
STEP = 32000  # cycles: 2 ms
LIMIT = 90  # seconds for the whole test


class Chip(threading.Thread):
    """Runs the chip, not faster than the clock on the wall, with its serial line on `line`."""

    def __init__(self, line: int) -> None:
        super().__init__(daemon=True)
        self.line = line
        self.stack = 0  # the deepest, in bytes
        self.reset = False
        self.hurry = True  # until the gateway takes part
        self.process = subprocess.Popen(
            [runner, "--mcu", "atmega328p", "--frequency", "16000000", "--paced", "--watchdog",
             "--static-end", static_end, "--eeprom", out / "eeprom", sketch],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(self, line: str) -> None:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def advance(self) -> None:
        self.tell(f"advance {STEP}")
        for answer in self.process.stdout:
            word, _, rest = answer.strip().partition(" ")
            if found := re.search(r"stack=(\d+)", rest):
                self.stack = max(self.stack, int(found[1]))
            if word == "recv":
                os.write(self.line, bytes.fromhex(rest))
            elif word in ("fault", "stopped", "error"):
                print(f"the chip: {answer}", file=sys.stderr, flush=True)
                os._exit(1)
            elif word in ("paused", "idle"):
                return

    def run(self) -> None:
        try:
            self.play()
        except BrokenPipeError:
            pass  # the test has ended the chip

    def play(self) -> None:
        due = time.monotonic()
        while True:
            if self.reset:
                self.reset = False
                self.tell("reset")
            while select.select([self.line], [], [], 0)[0]:
                self.tell("send " + os.read(self.line, 256).hex())
            self.advance()
            due = max(due + STEP / 16e6, time.monotonic() - 0.1)
            if not self.hurry:
                time.sleep(max(0, due - time.monotonic()))


class Lines(threading.Thread):
    """The lines that a process prints."""

    def __init__(self, stream) -> None:
        super().__init__(daemon=True)
        self.stream, self.lines, self.seen = stream, [], 0
        self.start()

    def run(self) -> None:
        for line in self.stream:
            self.lines.append(line.rstrip())

    def wait(self, pattern: str) -> re.Match:
        """The next line that matches."""
        end = started + LIMIT
        while time.monotonic() < end:
            while self.seen < len(self.lines):
                self.seen += 1
                if found := re.search(pattern, self.lines[self.seen - 1]):
                    return found
            time.sleep(0.02)
        sys.exit(f"no line like '{pattern}' but: {self.lines}")


def reading(lines: Lines) -> dict:
    return json.loads(lines.wait(r"^\{.*selo\.reading/1").string)


def play(gateway_lines: Lines, chip: Chip, bridge: subprocess.Popen, state: list) -> None:
    board = Lines(bridge.stdout)

    def type_letter(letter: str) -> None:
        bridge.stdin.write(letter)
        bridge.stdin.flush()

    board.wait("^unpaired")
    chip.hurry = False
    pairing = subprocess.Popen([selo, "device", "pair", *state, "--name", "bench"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    time.sleep(0.5)
    type_letter("p")
    digits = board.wait(r"^digits (\d{6})$")[1]
    pairing.stdin.write(digits + "\n")
    pairing.stdin.flush()
    time.sleep(1)
    type_letter("y")
    board.wait("^paired")
    if pairing.wait(timeout=20) != 0:
        sys.exit(f"selo device pair failed: {pairing.stdout.read()}")
    board.wait("^joined")
    first = [reading(gateway_lines) for _ in range(3)]
    chip.reset = True
    board.wait("^joined")
    first.append(reading(gateway_lines))
    tips = [int.from_bytes(bytes.fromhex(r["payload"])[4:8], "little") for r in first]
    if tips != [0, 1, 2, 0]:
        sys.exit(f"tips {tips}")
    if len({r["session"] for r in first}) != 2:
        sys.exit("the restart did not make a new session")


def main() -> None:
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % probe.getsockname()[1]
    state = ["--state", str(out / "state")]
    gateway = subprocess.Popen([selo, "gateway", *state, "--listen", address], stdout=subprocess.PIPE,
                               stderr=(out / "gateway.log").open("w"), text=True)
    line, port = pty.openpty()
    bridge = subprocess.Popen([sys.executable, "-u", root / "examples/LinkOverSerial/bridge.py",
                               os.ttyname(port), address],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    time.sleep(0.3)  # the bridge makes the line raw
    chip = Chip(line)
    try:
        chip.start()
        play(Lines(gateway.stdout), chip, bridge, state)
    finally:
        for process in (bridge, gateway, chip.process):
            process.kill()
    print(f"link-over-serial: passed in {time.monotonic() - started:.0f} s, deepest stack {chip.stack} bytes")


def check_encoding() -> None:
    """No byte of an encoded frame is a lower-case letter, which the sketch would take as a command."""
    sys.path.insert(0, str(root / "examples/LinkOverSerial"))
    sys.dont_write_bytecode = True
    from bridge import Decoder, encode
    for start in range(0, 256, 32):
        frame = bytes(range(start, start + 32))
        line = encode(frame)
        if re.search(b"[a-z]", line) or Decoder().take(b"lost\x7e\x01" + line)[0] != [frame]:
            sys.exit(f"bridge.py: the frame {frame.hex()} is encoded wrongly")


started = time.monotonic()
check_encoding()
main()
