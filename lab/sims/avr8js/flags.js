// Selo avr8js runner: the status register after instructions whose flags avr8js
// 0.21 computes wrongly. It takes the half carry from bit 0 instead of bit 3, and
// SBIW changes it. NEG of 0x80 sets neither overflow nor the right sign. The zero
// flag of SBC is wrong if the borrow makes the result 0. The zero flag of FMULSU is
// inverted. [AVR-ISA, ADC, ADD, CP, CPC, CPI, FMULSU, NEG, SBC, SBCI, SBIW, SUB, SUBI]
// SPDX-License-Identifier: GPL-3.0-or-later

const SREG = 95;
const C = 1, Z = 2, N = 4, V = 8, S = 16, H = 32;

/** True if `statusAfter` must be called before avr8js executes the opcode. */
export function needsFlags(opcode) {
  const six = opcode & 0xfc00;
  const top = opcode >> 12;
  return (
    six === 0x0c00 || six === 0x1c00 || // ADD, ADC
    six === 0x1800 || six === 0x0800 || // SUB, SBC
    six === 0x1400 || six === 0x0400 || // CP, CPC
    top === 0x3 || top === 0x4 || top === 0x5 || // CPI, SBCI, SUBI
    (opcode & 0xfe0f) === 0x9401 || // NEG
    (opcode & 0xff00) === 0x9700 || // SBIW
    (opcode & 0xff88) === 0x0388 // FMULSU
  );
}

const withSign = (flags) => flags | (((flags >> 2) ^ (flags >> 3)) & 1 ? S : 0);

function afterSum(d, r, carry, sreg) {
  const R = (d + r + carry) & 255;
  const carries = (d & r) | (r & ~R) | (~R & d);
  return (
    (sreg & 0xc0) |
    withSign((R ? 0 : Z) | (R & 128 ? N : 0) | ((d ^ R) & (r ^ R) & 128 ? V : 0)) |
    (carries & 128 ? C : 0) |
    (carries & 8 ? H : 0)
  );
}

// With `keepsZero` a result of 0 keeps the zero flag, for numbers of several bytes.
function afterDifference(d, r, borrow, sreg, keepsZero) {
  const R = (d - r - borrow) & 255;
  const borrows = (~d & r) | (r & R) | (R & ~d);
  const zero = R ? 0 : keepsZero ? sreg & Z : Z;
  return (
    (sreg & 0xc0) |
    withSign(zero | (R & 128 ? N : 0) | ((d ^ r) & (d ^ R) & 128 ? V : 0)) |
    (borrows & 128 ? C : 0) |
    (borrows & 8 ? H : 0)
  );
}

function afterWordDifference(opcode, data, sreg) {
  const at = 24 + 2 * ((opcode >> 4) & 3);
  const constant = (opcode & 0xf) | ((opcode & 0xc0) >> 2);
  const word = data[at] | (data[at + 1] << 8);
  const R = (word - constant) & 0xffff;
  const flags = (R ? 0 : Z) | (R & 0x8000 ? N : 0) | (word & ~R & 0x8000 ? V : 0);
  return (sreg & (0xc0 | H)) | withSign(flags) | (constant > word ? C : 0);
}

function afterFractionalProduct(opcode, data, sreg) {
  const signed = (data[16 + ((opcode >> 4) & 7)] << 24) >> 24;
  const product = signed * data[16 + (opcode & 7)];
  return (sreg & ~(C | Z)) | (product & 0x8000 ? C : 0) | ((product << 1) & 0xffff ? 0 : Z);
}

/** Returns the status register after the opcode, computed from the registers before it. */
export function statusAfter(opcode, data) {
  const sreg = data[SREG];
  const top = opcode >> 12;
  if (top >= 0x3 && top <= 0x5) {
    const constant = (opcode & 0xf) | ((opcode & 0xf00) >> 4);
    const d = data[16 + ((opcode >> 4) & 0xf)];
    return afterDifference(d, constant, top === 0x4 ? sreg & C : 0, sreg, top === 0x4);
  }
  const d = data[(opcode >> 4) & 31];
  if (top === 0x9) {
    if ((opcode & 0xff00) === 0x9700) return afterWordDifference(opcode, data, sreg);
    return afterDifference(0, d, 0, sreg, false); // NEG
  }
  if ((opcode & 0xff88) === 0x0388) return afterFractionalProduct(opcode, data, sreg);
  const r = data[(opcode & 0xf) | ((opcode & 0x200) >> 5)];
  switch (opcode & 0xfc00) {
    case 0x0c00:
      return afterSum(d, r, 0, sreg);
    case 0x1c00:
      return afterSum(d, r, sreg & C, sreg);
    case 0x0800:
    case 0x0400:
      return afterDifference(d, r, sreg & C, sreg, true);
    default:
      return afterDifference(d, r, 0, sreg, false); // SUB, CP
  }
}
