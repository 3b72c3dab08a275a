// Selo avr8js runner: prints and reads the lines of the protocol
// (docs/contributor/runner-protocol.md).
// SPDX-License-Identifier: GPL-3.0-or-later
import { readSync, writeSync } from "node:fs";

const hex = (number) => `0x${number.toString(16).padStart(4, "0")}`;

let received = [];

function print(line) {
  let text = received.length ? `recv ${Buffer.from(received).toString("hex")}\n` : "";
  received = [];
  text += `${line}\n`;
  const bytes = Buffer.from(text);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(1, bytes, done);
  } catch {
    process.exit(2); // the host is gone, so nothing can be reported
  }
}

/** Keeps one byte from the chip, to print before the next line. */
export function keepReceived(byte) {
  received.push(byte);
}

export function ready(name, version, mcu, frequency, ramend, flashend) {
  print(`ready ${name} ${version} mcu=${mcu} frequency=${frequency} ramend=${hex(ramend)} flashend=${hex(flashend)}`);
}

export function span(cycles, slept, stack) {
  print(`span cycles=${cycles} slept=${slept} stack=${stack}`);
}

export function idle(cycle) {
  print(`idle cycle=${cycle}`);
}

export function fault(kind, pc, address, cycle) {
  print(`fault kind=${kind} pc=${hex(pc)} address=${hex(address)} cycle=${cycle}`);
}

export function stopped(reason, pc, cycle) {
  print(`stopped reason=${reason} pc=${hex(pc)} cycle=${cycle}`);
}

/** Prints an error line and ends the process with exit code 2. */
export function error(message) {
  print(`error ${message}`);
  process.exit(2);
}

let pending = "";
let ended = false;

/** Blocks for the next line of standard input; returns null at its end. */
function readLine() {
  const chunk = Buffer.alloc(65536);
  for (;;) {
    const end = pending.indexOf("\n");
    if (end >= 0) {
      const line = pending.slice(0, end);
      pending = pending.slice(end + 1);
      return line;
    }
    if (ended) {
      const line = pending;
      pending = "";
      return line === "" ? null : line;
    }
    try {
      const count = readSync(0, chunk);
      if (count === 0) ended = true;
      pending += chunk.toString("latin1", 0, count);
    } catch (reason) {
      if (reason.code === "EOF") ended = true;
      // A terminal may be in non-blocking mode: retry after 10 ms.
      else if (reason.code === "EAGAIN") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      else throw reason;
    }
  }
}

/** Parses a whole string as a decimal or 0x number; returns null if it is not one. */
export function number(text) {
  if (!/^([0-9]+|0[xX][0-9a-fA-F]+)$/.test(text ?? "")) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}

/** Returns the next command: { name: "send", bytes } | { name: "limit", cycles } | { name: "reset" } | { name: "quit" }. */
export function readCommand() {
  const line = readLine();
  if (line === null || line === "quit") return { name: "quit" };
  if (line === "reset") return { name: "reset" };
  if (line.startsWith("limit ")) {
    const cycles = number(line.slice(6));
    if (cycles !== null) return { name: "limit", cycles };
  }
  if (/^send ([0-9a-fA-F]{2})+$/.test(line)) return { name: "send", bytes: Buffer.from(line.slice(5), "hex") };
  return error(`unknown line (${line.length} characters): ${line.slice(0, 40)}`);
}
