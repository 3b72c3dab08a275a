#!/usr/bin/env bash
# Names the tests that a step's log says have failed, each with the first words of
# why: what somebody must read who sees only the end of a run. A log that names no
# test is represented by its last lines.
#
# It knows the words of cargo test and cargo-nextest, and "FAILED: NAME" of Selo's own checks.
#
# usage: tools/failed-tests.sh LOG
set -euo pipefail
most=12

named=$(sed 's/\x1b\[[0-9;]*m//g' "$1" | awk '
    # Of a panic: where, and the first lines of what it says.
    /^FAILED/ { print; more = 1; next }
    /^test .* \.\.\. FAILED$/ { print; more = 0; next }
    # "  FAIL [ 0.005s] (2/6) crate::program module::test"
    /^ +(FAIL|TIMEOUT|ABORT|SIG[A-Z]+) \[/ { sub(/^ +/, ""); print; more = 0; next }
    /^ *thread .* panicked at / { sub(/^ +/, ""); print; more = 2; next }
    /^error(\[.*\])?: / { print; more = 1; next }
    more > 0 && NF { print "  " $0; more-- }
')
[ -n "$named" ] || named=$(tail -n 4 "$1")
cut -c 1-200 <<<"$named" | head -n "$most"
