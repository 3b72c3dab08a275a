// Selo avr8js runner: reads an ELF image. It only uses program headers: the file content of each
// PT_LOAD segment, at its physical address. On an AVR it is the flash.
// SPDX-License-Identifier: GPL-3.0-or-later
import { readFileSync } from "node:fs";

const MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 1 /* 32 bits */, 1 /* little-endian */, 1]);
const MACHINE_AVR = 83;
const SEGMENT_LOAD = 1;
// avr-gcc links RAM at 0x800000, EEPROM at 0x810000 and fuses above; these are not flash.
const FIRST_ADDRESS_BEYOND_FLASH = 0x800000;

/** Returns the segments of the ELF file `path` for a machine of this number: { address, bytes }. Throws an
 * Error with the reason; `what` names an image of the machine. */
export function readSegments(path, machine, what) {
  let elf;
  try {
    elf = readFileSync(path);
  } catch {
    throw new Error("cannot read the file");
  }
  if (elf.length < 52 || !elf.subarray(0, 7).equals(MAGIC) || elf.readUInt16LE(18) !== machine) throw new Error(`not ${what}`);
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
  return segments;
}

/** Returns the flash content of the ELF file `path`, filled up with 0xff. Throws an Error with the reason. */
export function loadImage(path, flashSize) {
  const all = readSegments(path, MACHINE_AVR, "an AVR ELF image");
  const segments = all.filter(({ address }) => address < FIRST_ADDRESS_BEYOND_FLASH);
  const flash = new Uint8Array(flashSize).fill(0xff);
  for (const { address, bytes } of segments) {
    const end = address + bytes.length;
    if (end > flashSize)
      throw new Error(`the image reaches to 0x${end.toString(16)} but the chip has ${flashSize} bytes of flash`);
    flash.set(bytes, address);
  }
  if (segments.length === 0) throw new Error("the ELF image has no flash content");
  return flash;
}
