// Selo rp2040js runner: the core with its memory, its host and the marks of spans.
// SPDX-License-Identifier: GPL-3.0-or-later
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The package exports its core only as a part of a whole RP2040, whose memory is elsewhere.
const entry = createRequire(import.meta.url).resolve("rp2040js");
const core = entry.replace(/dist[\\/].*$/, "dist/esm/cortex-m0-core.js");
const { CortexM0Core } = await import(pathToFileURL(core));

const RAM_START = 0x20000000;
const RAM_BYTES = 2 * 1024 * 1024;
const CODE_BYTES = 2 * 1024 * 1024;
// The registers of the core itself. ARMv6-M reads zeros where it has none.
const SYSTEM = 0xe0000000;

const SEMIHOSTING = 0xab;
const SYS = { open: 0x01, close: 0x02, write: 0x05, read: 0x06, exit: 0x18, exitExtended: 0x20 };
const CONSOLE_OUT = 2;
const CONSOLE_ERRORS = 3;
const NO_FILE = 0xffffffff;

export class Machine {
  /** `marks` maps addresses to 1 (a span begins) or 2 (it ends). `print` receives what the image writes. */
  constructor(segments, marks, print) {
    this.code = new DataView(new ArrayBuffer(CODE_BYTES));
    this.ram = new DataView(new ArrayBuffer(RAM_BYTES));
    this.marks = marks;
    this.print = print;
    this.spans = [];
    this.instructions = 0;
    for (const { address, bytes } of segments) {
      const [memory, at] = this.place(address, bytes.length);
      new Uint8Array(memory.buffer).set(bytes, at);
    }
    this.core = new CortexM0Core(this);
    this.core.reset();
  }

  /** Runs until the image exits. Returns its exit code. */
  run() {
    const { core } = this;
    while (this.exitCode === undefined) {
      const mark = this.marks.get(core.PC & ~1);
      const opcode = this.readUint16(core.PC & ~1);
      core.executeInstruction();
      if (movesLink(opcode)) core.cycles++;
      this.instructions++;
      if (mark) this.mark(mark);
      if (core.waiting) throw new Error(`waits for an interrupt at ${hex(core.PC)}; there is none`);
    }
    return this.exitCode;
  }

  // The instruction at the mark belongs to the span that it ends, not to the one that it begins.
  mark(kind) {
    const now = { cycles: this.core.cycles, instructions: this.instructions };
    if ((kind === 1) === (this.begun !== undefined)) throw new Error(`a mark out of order at ${hex(this.core.PC)}`);
    if (kind === 2)
      this.spans.push({
        cycles: now.cycles - this.begun.cycles,
        instructions: now.instructions - this.begun.instructions,
      });
    this.begun = kind === 1 ? now : undefined;
  }

  // ---- Memory: what the core calls ------------------------------------------------------

  place(address, size) {
    address >>>= 0;
    if (address + size <= CODE_BYTES) return [this.code, address];
    if (address >= RAM_START && address + size <= RAM_START + RAM_BYTES) return [this.ram, address - RAM_START];
    throw new Error(`access to ${hex(address)}, where no memory is, at ${hex(this.core?.PC ?? 0)}`);
  }

  readUint32(address) {
    if (address >>> 0 >= SYSTEM) return 0;
    const [memory, at] = this.place(address, 4);
    return memory.getUint32(at, true);
  }

  readUint16(address) {
    const [memory, at] = this.place(address, 2);
    return memory.getUint16(at, true);
  }

  readUint8(address) {
    const [memory, at] = this.place(address, 1);
    return memory.getUint8(at);
  }

  writeUint32(address, value) {
    if (address >>> 0 >= SYSTEM) return;
    const [memory, at] = this.place(address, 4);
    memory.setUint32(at, value, true);
  }

  writeUint16(address, value) {
    const [memory, at] = this.place(address, 2);
    memory.setUint16(at, value, true);
  }

  writeUint8(address, value) {
    const [memory, at] = this.place(address, 1);
    memory.setUint8(at, value);
  }

  // ---- Host: semihosting ----------------------------------------------------------------

  onBreak(number) {
    if (number !== SEMIHOSTING) throw new Error(`a breakpoint at ${hex(this.core.PC)}`);
    const { registers } = this.core;
    registers[0] = this.call(registers[0], registers[1]);
  }

  call(operation, block) {
    const word = (i) => this.readUint32(block + 4 * i);
    switch (operation) {
      case SYS.open: {
        const name = String.fromCharCode(...[0, 1, 2].map((i) => this.readUint8(word(0) + i)));
        if (name !== ":tt") return NO_FILE;
        return word(1) < 4 ? 1 : word(1) < 8 ? CONSOLE_OUT : CONSOLE_ERRORS;
      }
      case SYS.close:
        return 0;
      case SYS.write: {
        const bytes = Uint8Array.from({ length: word(2) }, (_, i) => this.readUint8(word(1) + i));
        if (word(0) === CONSOLE_OUT) this.print(bytes);
        else process.stderr.write(bytes);
        return 0;
      }
      case SYS.read:
        return word(2); // nothing was read
      case SYS.exit:
        this.exitCode = 0;
        return 0;
      case SYS.exitExtended:
        this.exitCode = word(1);
        return 0;
      default:
        throw new Error(`an unknown semihosting call ${hex(operation)}`);
    }
  }

  get logger() {
    return { debug() {}, info() {}, warn: complain, error: complain };
  }
}

/** True for PUSH with LR and POP with PC. rp2040js 1.4 adds a cycle for each register of the list but this one. */
function movesLink(opcode) {
  return (opcode & 0xff00) === 0xb500 || (opcode & 0xff00) === 0xbd00;
}

function complain(component, message) {
  throw new Error(`${component}: ${message}`);
}

function hex(number) {
  return `0x${(number >>> 0).toString(16).padStart(8, "0")}`;
}
