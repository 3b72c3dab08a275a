// Selo avr8js runner: the lines it prints and the lines it reads
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
    process.exit(2); // a host that went away cannot be told anything
  }
}

/** Keeps one byte that the chip transmitted, to be printed before the next line. */
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

/** Blocks for the next line of standard input; null at its end. */
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
      // A terminal may be in non-blocking mode: look again a little later.
      else if (reason.code === "EAGAIN") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      else throw reason;
    }
  }
}

/** A whole string as a number, decimal or 0x; null if it is none. */
export function number(text) {
  if (!/^([0-9]+|0[xX][0-9a-fA-F]+)$/.test(text ?? "")) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}

/** The next command: { name: "send", bytes } | { name: "limit", cycles } | { name: "reset" } | { name: "quit" }. */
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
