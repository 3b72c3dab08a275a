// Selo avr8js runner: the simulated chip with its marks, its stack watch, its
// memory watch and its UART. It is the lab's second, independent simulator: an
// image must give the same spans here as on simavr.
// SPDX-License-Identifier: GPL-3.0-or-later
import avr8js from "avr8js";
import { statusAfter } from "./flags.js";
import * as opcodes from "./opcodes.js";
import * as protocol from "./protocol.js";

const { CPU, AVRTimer, AVRUSART, avrInstruction, timer0Config, timer1Config, timer2Config, usart0Config } = avr8js;

export const CHIPS = {
  atmega328p: { flash: 0x8000, ramend: 0x08ff },
};

const RAM_START = 0x100;
const GPIOR0 = 0x3e;
const SPL = 0x5d;
const SPH = 0x5e;
const SREG = 0x5f;
const RAMPZ = 0x5b;
const RXC = 0x80;
const MARK_BEGIN = 1;
const MARK_END = 2;
// gcc writes SPH, then SREG, then SPL: the two halves are two cycles apart.
// Between two complete changes there are at least five cycles.
const TORN_CYCLES = 4;

export class Chip {
  constructor({ mcu, frequency, limit, staticEnd, heapTop }, flash) {
    this.ramend = CHIPS[mcu].ramend;
    this.frequency = frequency;
    this.limit = limit;
    this.staticEnd = staticEnd;
    this.heapTop = heapTop;
    this.program = new Uint16Array(flash.buffer);
    this.kinds = opcodes.opcodeKinds();
    this.pastCycles = 0; // avr8js starts again from zero at a reset; the runner's counter goes on
    this.powerUp();
  }

  powerUp() {
    this.cpu = new CPU(this.program, this.ramend + 1 - RAM_START);
    for (const config of [timer0Config, timer1Config, timer2Config]) new AVRTimer(this.cpu, config);
    this.uart = new AVRUSART(this.cpu, usart0Config, this.frequency);
    this.uart.onByteTransmit = protocol.keepReceived;
    this.cpu.writeHooks[GPIOR0] = (value) => this.mark(value);
    this.input = [];
    this.spanOpen = false;
    this.slept = 0;
    this.stackLowest = 0xffff;
    this.tornHalf = 0;
    this.sp = this.cpu.SP;
    this.fault = null;
    this.asleep = false;
  }

  get cycle() {
    return this.pastCycles + this.cpu.cycles;
  }

  /** The program counter. Asleep, it is behind the SLEEP, which executes when the chip wakes. */
  get pc() {
    return this.cpu.pc * 2 + (this.asleep ? 2 : 0);
  }

  send(bytes) {
    this.input.push(...bytes);
  }

  reset() {
    this.pastCycles = this.cycle;
    this.powerUp();
  }

  fail(kind, address, pc = this.instructionPc * 2) {
    this.fault ??= { kind, address, pc };
  }

  mark(value) {
    this.cpu.data[GPIOR0] = value;
    this.settleStack();
    if (value === MARK_BEGIN && !this.spanOpen) {
      this.spanOpen = true;
      this.spanBegin = this.cpu.cycles;
      this.slept = 0;
      this.stackBase = this.stackLowest = this.sp;
    } else if (value === MARK_END && this.spanOpen) {
      this.spanOpen = false;
      protocol.span(this.cpu.cycles - this.spanBegin, this.slept, this.stackBase - this.stackLowest);
    } else {
      this.fail("mark-order", value);
    }
    return true;
  }

  stackMoved(sp) {
    if (sp < this.stackLowest) this.stackLowest = sp;
    // The heap's variable is 0 before its first use.
    const { data } = this.cpu;
    const top = this.heapTop ? data[this.heapTop] | (data[this.heapTop + 1] << 8) : 0;
    if (sp < this.staticEnd || sp < top || sp > this.ramend) this.fail("stack-collision", sp);
  }

  settleStack() {
    if (this.tornHalf !== 0) this.stackMoved(this.tornValue);
    this.tornHalf = 0;
  }

  // One half was stored. It belongs to the other half only if that was stored just before.
  stackHalfStored(half, cycles) {
    if (this.tornHalf !== 0 && this.tornHalf !== half && cycles - this.tornCycles <= TORN_CYCLES) {
      this.tornHalf = 0;
      this.stackMoved(this.sp);
      return;
    }
    this.settleStack();
    this.tornHalf = half;
    this.tornValue = this.sp;
    this.tornCycles = cycles;
  }

  // Checks the accesses of the instruction at pc, because avr8js does not check them.
  checkInstruction(opcode, kind) {
    const { cpu, program } = this;
    switch (kind) {
      case opcodes.INVALID:
        this.fail("invalid-opcode", cpu.pc * 2);
        break;
      case opcodes.LOAD:
      case opcodes.STORE: {
        const address = opcodes.effectiveAddress(opcode, program[cpu.pc + 1], cpu.data);
        if (address > this.ramend) this.fail(kind === opcodes.LOAD ? "invalid-read" : "invalid-write", address);
        break;
      }
      case opcodes.FLASH_READ:
      case opcodes.FLASH_READ_EXTENDED: {
        const bank = kind === opcodes.FLASH_READ_EXTENDED ? cpu.data[RAMPZ] << 16 : 0;
        const address = bank | cpu.data[30] | (cpu.data[31] << 8);
        if (address >= program.length * 2) this.fail("flash-read-out-of-bounds", address);
        break;
      }
      case opcodes.INDIRECT_JUMP:
        this.checkTarget(cpu.data[30] | (cpu.data[31] << 8));
        break;
      case opcodes.RETURN:
      case opcodes.RETURN_FROM_INTERRUPT:
        this.checkTarget((cpu.data[this.sp + 1] << 8) | cpu.data[this.sp + 2]);
        break;
    }
  }

  // avr8js wraps a jump beyond the flash modulo its size; `word` is the target.
  checkTarget(word) {
    if (word >= this.program.length) this.fail("flash-read-out-of-bounds", word * 2, word * 2);
  }

  uartAccepts() {
    return (
      this.input.length > 0 &&
      this.uart.rxEnable &&
      !this.uart.rxBusy &&
      (this.cpu.data[usart0Config.UCSRA] & RXC) === 0
    );
  }

  feedUart() {
    if (this.uartAccepts()) this.uart.writeByte(this.input.shift());
  }

  // Runs one instruction and the events that are due after it.
  step() {
    const { cpu } = this;
    const { data } = cpu;
    const opcode = this.program[cpu.pc];
    const kind = this.kinds[opcode];
    this.instructionPc = cpu.pc;
    if (kind !== opcodes.PLAIN) {
      this.checkInstruction(opcode, kind);
      if (this.fault) return;
    }
    const before = cpu.cycles;
    if (kind === opcodes.FLAGS) {
      const status = statusAfter(opcode, data);
      avrInstruction(cpu);
      data[SREG] = status;
    } else avrInstruction(cpu);
    if (kind === opcodes.CLEAR_BIT) cpu.cycles++;
    let sp = data[SPL] | (data[SPH] << 8);
    if (sp !== this.sp) {
      const half = (sp ^ this.sp) & 0xff ? SPL : SPH;
      this.sp = sp;
      if (kind === opcodes.OUT || kind === opcodes.STORE) this.stackHalfStored(half, before);
      else {
        this.settleStack();
        this.stackMoved(sp);
      }
    }
    // After the I flag is set, one more instruction runs first. OUT to SREG may set the flag.
    if (kind === opcodes.INTERRUPTS_ON || kind === opcodes.RETURN_FROM_INTERRUPT || (kind === opcodes.OUT && (opcode & 0x060f) === 0x060f)) return;
    cpu.tick();
    sp = data[SPL] | (data[SPH] << 8);
    if (sp !== this.sp) {
      // An interrupt was entered.
      this.sp = sp;
      this.settleStack();
      this.stackMoved(sp);
    }
  }

  /**
   * Runs until the chip waits for input, prints the spans and the idle line, and
   * returns true. If the chip stops, prints the reason and returns false.
   */
  run() {
    const begin = this.cpu.cycles;
    for (;;) {
      if (this.input.length > 0) this.feedUart();
      this.asleep = this.program[this.cpu.pc] === 0x9588 && this.cpu.nextInterrupt < 0;
      if (this.asleep) {
        if (!this.cpu.interruptsEnabled) return this.stop("halted");
        const event = this.cpu.nextClockEvent;
        if (event === null) {
          protocol.idle(this.cycle);
          return true;
        }
        // Sleep until the event is due; SLEEP executes once an interrupt is pending.
        const until = Math.max(event.cycles, this.cpu.cycles + 1);
        this.slept += until - this.cpu.cycles;
        this.cpu.cycles = until;
        this.runDueEvents();
      } else {
        this.step();
      }
      if (this.fault) {
        const { kind, address, pc } = this.fault;
        protocol.fault(kind, pc, address, this.cycle);
        protocol.stopped("fault", pc, this.cycle);
        return false;
      }
      // RJMP .-2 with interrupts off: so exit() and abort() end.
      if (this.program[this.cpu.pc] === 0xcfff && !this.cpu.interruptsEnabled) return this.stop("halted");
      if (this.limit && this.cpu.cycles - begin > this.limit) return this.stop("cycle-limit");
    }
  }

  // Runs the due clock events while the chip sleeps in front of its SLEEP
  // instruction. An interrupt from them is entered after that instruction.
  runDueEvents() {
    const { data } = this.cpu;
    const sreg = data[SREG];
    data[SREG] = sreg & 0x7f;
    this.cpu.tick();
    data[SREG] = sreg;
  }

  stop(reason) {
    protocol.stopped(reason, this.pc, this.cycle);
    return false;
  }
}
