#!/usr/bin/env bash
# The demonstration: measure, check, compare and report; attack the link; then the whole
# chain from simulated nodes to the database. Called by `make demo`.
#
# Tables go to the terminal and stay in out/demo/; the last lines are what the chain
# counted, and the path of the report.
#
# usage: tools/demo.sh
# environment: SELO          the command to use (default target/release/selo)
#              DEMO_SECONDS  how long nodes report (default 60)
set -euo pipefail
cd "$(dirname "$0")/.."

selo=${SELO:-target/release/selo}
out=out/demo
mkdir -p "$out"
started=$SECONDS

# step TITLE FILE COMMAND...: the command's table on the terminal and in FILE.
step() {
    local title=$1 file=$2
    shift 2
    printf '\n== %s\n   %s\n\n' "$title" "$*"
    "$@" | tee "$out/$file"
}

step "Measure on the simulated Arduino Uno" run-uno.txt "$selo" lab run --board uno
step "Measure on this machine" run-native.txt "$selo" lab run --board native
step "Check against the official vectors on the simulated Uno" check-uno.txt "$selo" lab check --board uno
step "Check against the official vectors on this machine" check-native.txt "$selo" lab check --board native
for paper in albarello2020 ramalho2024 rocha-securino; do
    step "Compare with $paper" "compare-$paper.txt" "$selo" lab compare "$paper"
    "$selo" lab compare "$paper" --json >"$out/compare-$paper.jsonl"
done
# The report ends with what was found and where to look.
printf '\n== Write the report\n   %s lab report\n\n' "$selo"
"$selo" lab report | tee "$out/report.txt"
step "Attack the link: as albarello2020 has it, and as it is here" attack.txt "$selo" attack
step "From simulated Unos and virtual nodes to a database" chain.txt "$selo" demo
tail -n 3 "$out/report.txt"
printf 'all of it took %d seconds; tables as text: %s/\n' $((SECONDS - started)) "$out"
