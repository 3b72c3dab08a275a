#!/usr/bin/env node
// Selo avr8js runner: runs an AVR image on avr8js for a host that sends and reads
// lines over pipes (docs/contributor/runner-protocol.md). This file has the command
// line and the dialogue.
// SPDX-License-Identifier: GPL-3.0-or-later
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Chip, CHIPS } from "./chip.js";
import { loadImage } from "./image.js";
import * as protocol from "./protocol.js";

const own = JSON.parse(readFileSync(new URL("package.json", import.meta.url)));
const simulator = JSON.parse(readFileSync(createRequire(import.meta.url).resolve("avr8js/package.json")));
const VERSION = `${own.version}+avr8js-${simulator.version}`;

const HELP = `usage: ${own.name} --mcu NAME --frequency HZ [--limit CYCLES] [--static-end ADDRESS] [--heap-top ADDRESS] IMAGE.elf

Runs an AVR image on a simulated chip. Reads lines on standard input
(send HEX, limit N, reset, quit) and prints lines on standard output
(ready, recv, span, idle, fault, stopped, error).

  --mcu NAME            the chip: ${Object.keys(CHIPS).join(", ")}
  --frequency HZ        its clock
  --limit CYCLES        most cycles from one input wait to the next; 0 for no limit
  --static-end ADDRESS  first RAM address above the static data; a stack pointer
                        below it is a stack collision
  --heap-top ADDRESS    of the variable that holds the first address above the heap;
                        a stack pointer below that is one, too
  --help, --version

exit codes: 0 quit, 2 error, 3 the chip stopped
`;

function parseArguments(argv) {
  const options = { limit: 0, staticEnd: 0, heapTop: 0 };
  const numbers = { "--frequency": "frequency", "--limit": "limit", "--static-end": "staticEnd", "--heap-top": "heapTop" };
  for (let i = 0; i < argv.length; i++) {
    if (argv[i] === "--mcu" && i + 1 < argv.length) options.mcu = argv[++i];
    else if (Object.hasOwn(numbers, argv[i])) {
      const value = protocol.number(argv[i + 1]);
      if (value === null) protocol.error(`${argv[i]} needs a number`);
      options[numbers[argv[i++]]] = value;
    } else if (argv[i].startsWith("-") || options.image) protocol.error(`unexpected argument: ${argv[i]}`);
    else options.image = argv[i];
  }
  if (!options.mcu || !options.frequency || !options.image)
    protocol.error("--mcu, --frequency and an image are needed; see --help");
  if (!Object.hasOwn(CHIPS, options.mcu)) protocol.error(`this runner does not know the chip ${options.mcu}`);
  return options;
}

function converse(chip) {
  while (chip.run()) {
    for (let waiting = true; waiting; ) {
      const command = protocol.readCommand();
      if (command.name === "quit") {
        protocol.stopped("quit", chip.pc, chip.cycle);
        return 0;
      }
      if (command.name === "limit") chip.limit = command.cycles;
      else {
        if (command.name === "send") chip.send(command.bytes);
        else chip.reset();
        waiting = false;
      }
    }
  }
  return 3;
}

const argv = process.argv.slice(2);
if (argv.length === 1 && argv[0] === "--help") process.stdout.write(HELP);
else if (argv.length === 1 && argv[0] === "--version") process.stdout.write(`${own.name} ${VERSION}\n`);
else {
  const options = parseArguments(argv);
  let flash;
  try {
    flash = loadImage(options.image, CHIPS[options.mcu].flash);
  } catch (reason) {
    protocol.error(`${options.image}: ${reason.message}`);
  }
  const chip = new Chip(options, flash);
  protocol.ready(own.name, VERSION, options.mcu, options.frequency, chip.ramend, flash.length - 1);
  process.exitCode = converse(chip);
}
