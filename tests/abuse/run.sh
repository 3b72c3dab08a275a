#!/usr/bin/env bash
# Runs the quick attacks of `selo attack` on the services: hostile clients against the running
# command, while honest users work. `selo attack` runs all of them.
#
# usage: tests/abuse/run.sh SELO        the built command
set -uo pipefail
selo=$(realpath "$1")
out=$(mktemp)
trap 'rm -f "$out"' EXIT

"$selo" attack --against services --quick --json >"$out"
status=$?
python3 - "$out" "$status" <<'PY'
import json, sys
counts = {"held": 0, "broken": 0, "not-run": 0}
for line in open(sys.argv[1]):
    outcome = json.loads(line)
    counts[outcome["verdict"]] += 1
    if outcome["verdict"] != "held":
        word = "FAILED" if outcome["verdict"] == "broken" else "skipped"
        print(f"{word}: {outcome['against']} {outcome['attack']}: {outcome['shows']}")
# A run that ended early has failed, regardless of its counts.
failed = counts["broken"]
if sys.argv[2] not in ("0", "1") or counts["held"] == 0:
    failed = max(failed, 1)
skipped = f", {counts['not-run']} skipped" if counts["not-run"] else ""
print(f"abuse: {counts['held']} passed, {failed} failed{skipped}")
sys.exit(failed > 0)
PY
