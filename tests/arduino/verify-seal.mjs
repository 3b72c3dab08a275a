// Checks what the SealReading sketch printed: that it says its round trip is good,
// and that node's own AES opens the message with the key of the sketch to the
// reading that the sketch fills in.
import { createDecipheriv } from "node:crypto";
import { readFileSync } from "node:fs";

const output = readFileSync(0, "latin1");
const sketch = readFileSync(new URL("../../examples/SealReading/SealReading.ino", import.meta.url), "utf8");

function fail(message) {
  console.error(`verify-seal: ${message}`);
  process.exit(1);
}

function hexAfter(label) {
  const found = output.match(new RegExp(`^${label} +([0-9A-F]+)\\r?$`, "m"));
  return found ? Buffer.from(found[1], "hex") : fail(`no line "${label}"`);
}

const keyText = sketch.match(/key_bytes\[16\] = \{([^}]*)\}/);
if (!keyText) fail("no key_bytes in the sketch");
const key = Buffer.from(keyText[1].split(",").map((byte) => parseInt(byte, 16)));

const decipher = createDecipheriv("aes-128-cbc", key, hexAfter("iv"));
const reading = Buffer.concat([decipher.update(hexAfter("sealed")), decipher.final()]);
// Offsets of struct reading on AVR: little-endian, no gaps.
const fields = [reading.length, reading.readUInt32LE(4), reading.readInt32LE(8), reading.readUInt16LE(12)];
const expected = [16, 0, 2150, 2987];
if (fields.join() !== expected.join()) fail(`opened to ${fields}, expected ${expected}`);
if (!/^round trip ok\r?$/m.test(output)) fail('no line "round trip ok"');
