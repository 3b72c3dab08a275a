#!/usr/bin/env node
// Runs a Cortex-M0+ image on the core of rp2040js: a second opinion on the cycles of the Cortex-M0+
// model (lab/boards/models/cortex-m0plus.toml), which are sums over QEMU's counts. rp2040js decodes
// each instruction itself and adds its time.
//
// Only the core is rp2040js's. Its memory is flat and has no wait states: the image's segments, and
// RAM. The program speaks to the host by semihosting, as it does under QEMU.
// SPDX-License-Identifier: GPL-3.0-or-later
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { readSegments } from "../avr8js/image.js";
import { Machine } from "./machine.js";

const MACHINE_ARM = 40;

const own = JSON.parse(readFileSync(new URL("package.json", import.meta.url)));
const HELP = `usage: ${own.name} [--report FILE] [--mark1 ADDRESS] [--mark2 ADDRESS] IMAGE.elf

Runs an image for a Cortex-M0+ until it exits by semihosting. What it writes goes to standard output.

  --report FILE    write a line "span cycles=N instructions=N" for each span that ran
  --mark1 ADDRESS  a span begins when the instruction at this address is executed; can be repeated
  --mark2 ADDRESS  a span ends there; can be repeated
  --help, --version

exit codes: that of the image; 2 error
`;

function fail(message) {
  process.stderr.write(`${own.name}: ${message}\nhint: ${own.name} --help\n`);
  process.exit(2);
}

function parseArguments(argv) {
  const options = { marks: new Map() };
  for (let i = 0; i < argv.length; i++) {
    const mark = { "--mark1": 1, "--mark2": 2 }[argv[i]];
    if (argv[i] === "--report" && i + 1 < argv.length) options.report = argv[++i];
    else if (mark) {
      const address = argv[++i];
      if (!/^0x[0-9a-f]+$/i.test(address ?? "")) fail(`${argv[i - 1]} needs an address, such as 0x1f4`);
      options.marks.set(Number(address), mark);
    } else if (argv[i].startsWith("-") || options.image) fail(`unexpected argument: ${argv[i]}`);
    else options.image = argv[i];
  }
  if (!options.image) fail("an image is needed");
  return options;
}

function version() {
  const require = createRequire(import.meta.url);
  const entry = require.resolve("rp2040js");
  const simulator = JSON.parse(readFileSync(entry.replace(/dist[\\/].*$/, "package.json")));
  return `${own.name} ${own.version}+rp2040js-${simulator.version}\n`;
}

const argv = process.argv.slice(2);
if (argv.length === 1 && argv[0] === "--help") process.stdout.write(HELP);
else if (argv.length === 1 && argv[0] === "--version") process.stdout.write(version());
else {
  const options = parseArguments(argv);
  try {
    const segments = readSegments(options.image, MACHINE_ARM, "an ELF image for a 32-bit ARM core");
    if (segments.length === 0) throw new Error("the ELF image has nothing to load");
    const machine = new Machine(segments, options.marks, (bytes) => writeSync(1, bytes));
    process.exitCode = machine.run();
    if (options.report)
      writeFileSync(
        options.report,
        machine.spans.map((span) => `span cycles=${span.cycles} instructions=${span.instructions}\n`).join(""),
      );
  } catch (reason) {
    fail(`${options.image}: ${reason.message}`);
  }
}
