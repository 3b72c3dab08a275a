// Selo avr8js runner: facts about an instruction that the runner needs before
// avr8js executes it. avr8js runs unknown opcodes as NOP and does not check
// addresses, so the runner checks both with this table.
// SPDX-License-Identifier: GPL-3.0-or-later

import { needsFlags } from "./flags.js";

export const PLAIN = 0; // needs no check of data space or stack pointer
export const INVALID = 1;
export const SLEEP = 2;
export const LOAD = 3; // reads the data space at effectiveAddress()
export const STORE = 4; // writes it; may write half of the stack pointer
export const OUT = 5; // may write half of the stack pointer, or SREG
export const FLASH_READ = 6; // LPM
export const FLASH_READ_EXTENDED = 7; // ELPM
export const INTERRUPTS_ON = 8; // SEI: one more instruction runs before an interrupt is taken
export const RETURN_FROM_INTERRUPT = 9; // RETI: the same, and a return
export const RETURN = 10; // RET
export const INDIRECT_JUMP = 11; // IJMP, ICALL
export const CLEAR_BIT = 13; // CBI: takes two cycles, avr8js counts one [ATMEGA328P, 37]
export const FLAGS = 12; // sets flags that avr8js computes wrongly (flags.js)

/** Returns the kind of every 16-bit opcode of the AVRe+ core [ATMEGA328P, 37]. */
export function opcodeKinds() {
  const kinds = new Uint8Array(0x10000);
  for (let opcode = 0; opcode < kinds.length; opcode++) kinds[opcode] = kindOf(opcode);
  return kinds;
}

function kindOf(opcode) {
  if (needsFlags(opcode)) return FLAGS;
  if ((opcode & 0xff00) === 0x9800) return CLEAR_BIT;
  const top = opcode >> 12;
  if (top === 0x8 || top === 0xa) return opcode & 0x0200 ? STORE : LOAD; // LDD and STD; LD and ST with Y, Z
  if (top === 0xb) return opcode & 0x0800 ? OUT : PLAIN; // OUT, IN
  if (top === 0x9) return kindOf9(opcode);
  if (top === 0x0) {
    // NOP, MOVW, MULS, MULSU and FMUL*, CPC, SBC, ADD
    return opcode !== 0 && opcode < 0x0100 ? INVALID : PLAIN;
  }
  if (top === 0xf && (opcode & 0x0800) !== 0 && (opcode & 0x0008) !== 0) return INVALID; // BLD, BST, SBRC, SBRS have bit 3 clear
  return PLAIN;
}

function kindOf9(opcode) {
  const low = opcode & 0x000f;
  switch (opcode & 0xfe00) {
    case 0x9000:
      if (low === 0x3 || low === 0x8 || low === 0xb) return INVALID;
      if (low === 0x4 || low === 0x5) return FLASH_READ;
      if (low === 0x6 || low === 0x7) return FLASH_READ_EXTENDED;
      return low === 0xf ? PLAIN : LOAD; // POP
    case 0x9200:
      if (low === 0x3 || low === 0x8 || low === 0xb || (low >= 0x4 && low <= 0x7)) return INVALID;
      return low === 0xf ? PLAIN : STORE; // PUSH
    case 0x9400:
      return kindOf94(opcode);
    default:
      return PLAIN; // ADIW, SBIW, CBI, SBIC, SBI, SBIS, MUL
  }
}

function kindOf94(opcode) {
  const low = opcode & 0x000f;
  if (opcode === 0x9588) return SLEEP;
  if (opcode === 0x9478) return INTERRUPTS_ON;
  if (opcode === 0x9518) return RETURN_FROM_INTERRUPT;
  if (opcode === 0x9508) return RETURN;
  if (opcode === 0x95c8) return FLASH_READ;
  if (opcode === 0x95d8) return FLASH_READ_EXTENDED;
  if (low === 0x4 || low === 0xb) return INVALID;
  if (low === 0x8) {
    // BSET and BCLR; BREAK, WDR, SPM
    const known = opcode < 0x9500 || opcode === 0x9598 || opcode === 0x95a8 || opcode === 0x95e8;
    return known ? PLAIN : INVALID;
  }
  if (low === 0x9) return opcode === 0x9409 || opcode === 0x9509 ? INDIRECT_JUMP : INVALID;
  return PLAIN;
}

/** Returns the data address that a LOAD or STORE instruction will access; `next` is the word after it. */
export function effectiveAddress(opcode, next, data) {
  if ((opcode & 0xd000) === 0x8000) {
    const displacement = ((opcode & 0x2000) >> 8) | ((opcode & 0x0c00) >> 7) | (opcode & 0x0007);
    const pointer = opcode & 0x0008 ? 28 : 30;
    return ((data[pointer] | (data[pointer + 1] << 8)) + displacement) & 0xffff;
  }
  const mode = opcode & 0x000f;
  if (mode === 0) return next; // LDS, STS
  const pointer = mode >= 0xc ? 26 : mode >= 0x8 ? 28 : 30;
  const before = (mode & 0x3) === 2 ? 1 : 0; // pre-decrement
  return ((data[pointer] | (data[pointer + 1] << 8)) - before) & 0xffff;
}
