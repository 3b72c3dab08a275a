// Selo rp2040js runner: reads an ELF image for ARM. It only uses program headers.
// SPDX-License-Identifier: GPL-3.0-or-later
import { readFileSync } from "node:fs";

const MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 1 /* 32 bits */, 1 /* little-endian */, 1]);
const MACHINE_ARM = 40;
const SEGMENT_LOAD = 1;

/** Returns the segments of the ELF file `path`: { address, bytes }. Throws an Error with the reason. */
export function loadImage(path) {
  let elf;
  try {
    elf = readFileSync(path);
  } catch {
    throw new Error("cannot read the file");
  }
  if (elf.length < 52 || !elf.subarray(0, 7).equals(MAGIC) || elf.readUInt16LE(18) !== MACHINE_ARM)
    throw new Error("not an ELF image for a 32-bit ARM core");
  const table = elf.readUInt32LE(28);
  const entrySize = elf.readUInt16LE(42);
  const entries = elf.readUInt16LE(44);
  if (entrySize < 32 || table + entries * entrySize > elf.length) throw new Error("the ELF image is truncated");

  const segments = [];
  for (let header = table; header < table + entries * entrySize; header += entrySize) {
    const offset = elf.readUInt32LE(header + 4);
    const bytes = elf.readUInt32LE(header + 16);
    if (elf.readUInt32LE(header) !== SEGMENT_LOAD || bytes === 0) continue;
    if (offset + bytes > elf.length) throw new Error("the ELF image is truncated");
    segments.push({ address: elf.readUInt32LE(header + 12), bytes: elf.subarray(offset, offset + bytes) });
  }
  if (segments.length === 0) throw new Error("the ELF image has nothing to load");
  return segments;
}
