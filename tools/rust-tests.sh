#!/usr/bin/env bash
# The tests of the workspace. They hold real brokers, databases, emulators and clocks, many
# at once, so a machine can starve one of them: what fails, if it is little, runs once more
# with nothing beside it. What passes then is told ("flaky: NAME", with the first run's
# reason) and is still somebody's to mend; what fails again has failed.
#
# usage: tools/rust-tests.sh
# environment: RUST_TESTS  what runs them (default: cargo test of the workspace)
set -uo pipefail
cd "$(dirname "$0")/.."
most=3

run=(cargo test --release --workspace --locked --no-fail-fast)
[ -z "${RUST_TESTS:-}" ] || run=("$RUST_TESTS")
first=$(mktemp) second=$(mktemp)
trap 'rm -f "$first" "$second"' EXIT

"${run[@]}" 2>&1 | tee "$first" | sed -u 's/^test result: /the first run: &/'
status=${PIPESTATUS[0]}
read -r passed failed skipped <<<"$(tools/count-tests.sh "$first")"
total() { echo "rust: $1 passed, $2 failed, $skipped skipped"; }
names=$(sed -nE 's/^test (.*) \.\.\. FAILED$/\1/p' "$first" | sed 's/ - should panic$//' | sort -u)
count=$(grep -c . <<<"$names")

if [ "$status" -eq 0 ] && [ "$failed" -eq 0 ]; then
    total "$passed" 0
    exit 0
fi
# More at once are no accident, and a crash names no test.
if [ "$count" -eq 0 ] || [ "$count" -ne "$failed" ] || [ "$count" -gt "$most" ]; then
    total "$passed" "$((failed > 0 ? failed : 1))"
    exit 1
fi

mapfile -t again <<<"$names"
echo "once more, alone: ${again[*]}"
"${run[@]}" -- --exact --test-threads=1 "${again[@]}" >"$second" 2>&1
status=$?
sed 's/^test result: /the second run: &/' "$second"
read -r mended _ <<<"$(tools/count-tests.sh "$second")"
if [ "$status" -eq 0 ] && [ "$mended" -ge "$count" ]; then
    for name in "${again[@]}"; do
        echo "flaky: $name"
        tools/failed-tests.sh "$first" | grep -F -A 2 -- "'$name'" | sed 's/^/flaky:     /'
    done
    total "$((passed + failed))" 0
    exit 0
fi
total "$passed" "$failed"
exit 1
