// Checks the output of the SealReading sketch. The round trip must succeed, and an altered message
// must be refused. The ChaCha20-Poly1305 of Node.js must open the message with the sketch's key and
// give the reading that the sketch fills in.
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

const keyText = sketch.match(/ raw\[32\] = \{([^}]*)\}/);
if (!keyText) fail("no key in the sketch");
const key = Buffer.from(keyText[1].split(",").map((byte) => parseInt(byte, 16)));
const station = sketch.match(/station\[\] = "([^"]*)"/) ?? fail("no station in the sketch");

const decipher = createDecipheriv("chacha20-poly1305", key, hexAfter("nonce"), { authTagLength: 16 });
decipher.setAAD(Buffer.from(station[1]), { plaintextLength: 16 });
decipher.setAuthTag(hexAfter("tag"));
const reading = Buffer.concat([decipher.update(hexAfter("sealed")), decipher.final()]);
// Offsets of struct reading on AVR: little-endian, no gaps.
const fields = [reading.length, reading.readUInt32LE(4), reading.readInt32LE(8), reading.readUInt16LE(12)];
const expected = [16, 0, 2150, 2987];
if (fields.join() !== expected.join()) fail(`opened to ${fields}, expected ${expected}`);
for (const line of ["round trip ok", "an altered message is refused"]) {
  if (!new RegExp(`^${line}\\r?$`, "m").test(output)) fail(`no line "${line}"`);
}
