#!/usr/bin/env python3
"""Connects a board on a serial port to a gateway over UDP. Prints the text of the board and sends it
what you type. Needs Python 3 on Linux or macOS, and no other package.

usage: bridge.py PORT [HOST[:PORT]]      bridge.py /dev/ttyACM0        (the gateway is on this machine)
end:   Ctrl-C, or Ctrl-D at an empty line
"""
from __future__ import annotations

import os
import select
import socket
import sys
import termios
import tty

START, END, ESCAPE, CHANGED = 0x7E, 0x7F, 0x7D, 0x20
FRAME_MAX = 58


def encode(frame: bytes) -> bytes:
    """A frame as src/selo_arduino.hpp puts it on the line."""
    out = bytearray([START])
    for byte in frame:
        out += bytes([ESCAPE, byte ^ CHANGED]) if byte & 0xE0 == 0x60 else bytes([byte])
    return bytes(out + bytes([END]))


class Decoder:
    """Splits the bytes of the line into frames and text."""

    def __init__(self) -> None:
        self.frame: bytearray | None = None
        self.escaped = False

    def take(self, data: bytes) -> tuple[list[bytes], bytes]:
        frames, text = [], bytearray()
        for byte in data:
            if byte in (START, END):
                if byte == END and self.frame and len(self.frame) <= FRAME_MAX:
                    frames.append(bytes(self.frame))
                self.frame = bytearray() if byte == START else None
                self.escaped = False
            elif self.frame is None:
                text.append(byte)
            elif byte == ESCAPE:
                self.escaped = True
            else:
                self.frame.append(byte ^ CHANGED if self.escaped else byte)
                self.escaped = False
        return frames, bytes(text)


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    host, _, port = (sys.argv[2] if len(sys.argv) == 3 else "127.0.0.1").partition(":")
    gateway = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    gateway.connect((host, int(port or 7356)))
    line = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
    tty.setraw(line)
    settings = termios.tcgetattr(line)
    settings[4] = settings[5] = termios.B115200
    termios.tcsetattr(line, termios.TCSANOW, settings)
    decoder = Decoder()
    while True:
        ready, _, _ = select.select([line, gateway, sys.stdin], [], [])
        if line in ready:
            data = os.read(line, 256)
            if not data:
                return 0
            frames, text = decoder.take(data)
            for frame in frames:
                try:
                    gateway.send(frame)
                except ConnectionRefusedError:
                    print("bridge: no gateway answers there", file=sys.stderr, flush=True)
            sys.stdout.buffer.write(text)
            sys.stdout.flush()
        if gateway in ready:
            try:
                os.write(line, encode(gateway.recv(2048)))
            except ConnectionRefusedError:
                pass
        if sys.stdin in ready:
            typed = os.read(sys.stdin.fileno(), 64)
            if not typed:
                return 0
            os.write(line, bytes(byte for byte in typed if byte < ESCAPE))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (KeyboardInterrupt, OSError) as end:
        sys.exit(f"bridge: {end}" if isinstance(end, OSError) else 0)
