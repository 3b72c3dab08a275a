#!/usr/bin/env bash
# The demonstration: measure, check, compare and report; attack the link; then the whole
# chain from simulated nodes to the database. Called by `make demo`.
#
# The terminal shows one line a step with its result, then a summary. The tables are in
# out/demo/, one file a step. The last lines name the report.
#
# usage: tools/demo.sh
# environment: SELO          the command to use (default target/release/selo)
#              DEMO_SECONDS  how long nodes report (default 60)
set -euo pipefail
cd "$(dirname "$0")/.."

selo=${SELO:-${SELO_BUILT:-target/release}/selo}
out=out/demo
mkdir -p "$out"
started=$SECONDS

# step TITLE FILE COMMAND...: runs COMMAND with its output in FILE, then prints TITLE, the seconds
# taken, and the command's summary. On a terminal the command shows progress and summary itself.
step() {
    local title=$1 file=$out/$2 begun=$SECONDS status=0 summary=
    shift 2
    if [ -t 2 ]; then
        printf '%s ...\n' "$title"
        "$@" >"$file" || status=$?
    else
        "$@" >"$file" 2>"$file.messages" || status=$?
        # Only the lab's commands end with a summary.
        case $* in
        *" lab "*) summary=$(grep -v '^hint:' "$file.messages" | tail -n 1 || true) ;;
        esac
    fi
    printf '%-52s %4d s  %s\n' "$title" $((SECONDS - begun)) "$summary"
    if [ "$status" -ne 0 ]; then
        tail -n 20 "$file"
        [ ! -s "$file.messages" ] || tail -n 20 "$file.messages" >&2
        echo "demo: '$*' ended with $status" >&2
        echo "hint: its output is in $file" >&2
        exit "$status"
    fi
}

echo "Selo: the demonstration. Each step leaves its output in $out/."
echo
step "Measure on the simulated Arduino Uno" run-uno.txt "$selo" lab run --board uno
step "Measure on this machine" run-native.txt "$selo" lab run --board native
step "Official vectors on the simulated Uno" check-uno.txt "$selo" lab check --board uno
step "Official vectors on this machine" check-native.txt "$selo" lab check --board native
for paper in albarello2020 ramalho2024 rocha-securino; do
    step "Compare with $paper" "compare-$paper.txt" "$selo" lab compare "$paper"
    "$selo" lab compare "$paper" --json >"$out/compare-$paper.jsonl" 2>"$out/compare-$paper.jsonl.messages"
done
step "Write the report" report.txt "$selo" lab report
step "Attack the link" attack.txt "$selo" attack
step "From simulated Unos and virtual nodes to a database" chain.txt "$selo" demo

echo
echo "== What the nodes sent, and what the database has ($out/chain.txt)"
tail -n 12 "$out/chain.txt"
echo
echo "== What was measured ($out/report.txt)"
tail -n 12 "$out/report.txt"
printf 'all of it took %d seconds; tables as text: %s/\n' $((SECONDS - started)) "$out"
