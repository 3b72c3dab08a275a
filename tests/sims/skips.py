#!/usr/bin/env python3
"""Finds AVR images with a skip before an ADIW or SBIW that simavr 1.6 takes for longer.

Results of these images on a runner before 0.2.0 may be wrong. Other images are not affected.

usage: tests/sims/skips.py IMAGE.elf...     (or a folder of images)
exit: 0 done; 2 no image, or avr-objdump fails
"""

import pathlib
import re
import subprocess
import sys

LINE = re.compile(r"^\s*([0-9a-f]+):\t([0-9a-f ]+)\t(\w+)", re.M)
SKIPS = {"cpse", "sbrc", "sbrs", "sbic", "sbis"}


def skips(image):
    """The addresses of such skips in an image."""
    text = subprocess.run(["avr-objdump", "-d", str(image)], check=True, capture_output=True, text=True).stdout
    found, before = [], None
    for address, code, name in LINE.findall(text):
        low = int(code.split()[0], 16)
        if before and name in ("adiw", "sbiw") and low & 0x0C == 0x0C:
            found.append(before)
        before = address if name in SKIPS else None
    return found


def main(arguments):
    images = []
    for name in arguments:
        path = pathlib.Path(name)
        images += sorted(path.rglob("*.elf")) if path.is_dir() else [path]
    if not images:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    concerned = 0
    for image in images:
        try:
            found = skips(image)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"skips: {image}: {error}", file=sys.stderr)
            return 2
        if found:
            concerned += 1
            print(f"{image}: {', '.join('0x' + address for address in found)}")
    print(f"{len(images)} images, {concerned} with such a skip")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
