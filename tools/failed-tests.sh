#!/usr/bin/env bash
# Names the failed tests in a step's log, each with the first words of the reason, for
# readers who see only the end of a run. If a log names no test, prints its last lines
# instead.
#
# It parses the output of cargo test and cargo-nextest, and "FAILED: NAME" of Selo's own checks.
#
# usage: tools/failed-tests.sh LOG
set -euo pipefail
most=12

named=$(sed 's/\x1b\[[0-9;]*m//g' "$1" | awk '
    # For a panic: the place, and the first lines of the message.
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
