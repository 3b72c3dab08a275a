// The last ten lines of `make demo`: figures picked from the rows, nothing typed in.
//
// usage: node tools/demo-summary.mjs FOLDER SECONDS
//   FOLDER   holds compare-*.jsonl and the report; the rows are in out/lab/BOARD/
//   SECONDS  how long the demonstration took
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

const [folder, seconds] = process.argv.slice(2);

function jsonLines(path) {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 0 });
const line = (label, text) => console.log(`${label.padEnd(22)} ${text}`);

const rows = { uno: jsonLines("out/lab/uno/rows.jsonl"), native: jsonLines("out/lab/native/rows.jsonl") };

/** The Uno's figures of one operation of Selo's own code, in words. */
function figures(algorithm, strategy, operation) {
  const mine = rows.uno.filter(
    (row) => row.contender === "selo" && row.algorithm === algorithm && row.strategy === strategy);
  const of = (metric, operations) =>
    mine.find((row) => row.metric === metric && operations.includes(row.operation) && row.value !== null);
  const cycles = of("cycles", [operation]);
  if (!cycles) return mine.find((row) => row.reason)?.reason ?? "not measured";
  const parts = [`${number(cycles.value)} cycles`];
  for (const [metric, name] of [["flash", "flash"], ["stack", "stack"]]) {
    const row = of(metric, [operation]);
    if (row) parts.push(`${name} ${number(row.value)} bytes`);
  }
  const size = cycles.bytes ? ` of ${cycles.bytes} bytes` : "";
  return `${operation}${size}: ${parts.join(", ")}`;
}

/** The strategy that the rows have for an algorithm, the quickest first. */
function quickest(algorithm, operation) {
  const candidates = rows.uno.filter(
    (row) => row.contender === "selo" && row.algorithm === algorithm && row.operation === operation
      && row.metric === "cycles" && row.value !== null);
  candidates.sort((a, b) => a.value - b.value);
  return candidates[0]?.strategy ?? "fast";
}

for (const [algorithm, operation] of [
  ["aes-128", "encrypt"], ["speck128/128", "encrypt"], ["sha-256", "hash"],
  ["sha3-256", "hash"], ["x25519", "shared-secret"],
]) {
  const strategy = quickest(algorithm, operation);
  line(`${algorithm} ${strategy}`, figures(algorithm, strategy, operation));
}

const tooLarge = rows.uno.filter((row) => row.status === "does-not-fit");
const largest = tooLarge.find((row) => row.algorithm.startsWith("rsa")) ?? tooLarge[0];
line("does not fit the Uno", largest ? `${largest.algorithm}: ${largest.reason}` : "nothing");

for (const board of ["uno", "native"]) {
  const checks = jsonLines(`out/lab/${board}/check.jsonl`);
  const sum = (key) => checks.reduce((total, check) => total + check[key], 0);
  line(`vectors on ${board}`, `${sum("passed").toLocaleString("en")} passed, ${sum("failed").toLocaleString("en")} failed`);
}

const papers = readdirSync(folder).filter((name) => /^compare-.*\.jsonl$/.test(name)).sort();
line("papers", papers.map((name) => {
  const cells = jsonLines(join(folder, name));
  const measured = cells.filter((cell) => cell.measured !== null && cell.measured !== undefined).length;
  return `${name.slice(8, -6)} ${measured} of ${plural(cells.length, "cell")}`;
}).join("; "));

const report = readdirSync(folder).find((name) => name.endsWith(".html"));
const total = plural(rows.uno.length + rows.native.length, "row");
line("report", `${report ? resolve(folder, report) : "none written"} (${total}, ${seconds} s)`);
