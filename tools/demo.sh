#!/usr/bin/env bash
# The demonstration: measure, check, compare and report; called by `make demo`.
#
# Tables go to the terminal and stay in out/demo/ beside the raw rows; the last
# lines are a summary and the path of the report.
#
# usage: tools/demo.sh
# environment: SELO  the command to use (default target/release/selo)
set -euo pipefail
cd "$(dirname "$0")/.."

selo=${SELO:-target/release/selo}
out=out/demo
mkdir -p "$out"
started=$SECONDS

step() {
    local title=$1 file=$2
    shift 2
    printf '\n== %s\n   %s\n' "$title" "$*"
    "$@" | tee "$out/$file"
}

step "Measure on the simulated Arduino Uno" run-uno.txt "$selo" lab run --board uno --out "$out"
step "Measure on this machine" run-native.txt "$selo" lab run --board native --out "$out"
step "Check against the official vectors on the Uno" check-uno.txt "$selo" lab check --board uno
step "Check against the official vectors here" check-native.txt "$selo" lab check --board native
for paper in albarello2020 ramalho2024 rocha-securino; do
    step "Compare with $paper" "compare-$paper.txt" "$selo" lab compare "$paper"
done
step "Write the report" report.txt "$selo" lab report --out "$out"

printf '\n'
tools/demo-summary.sh "$out" $((SECONDS - started))
