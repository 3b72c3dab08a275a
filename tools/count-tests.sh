#!/usr/bin/env bash
# Adds up the tests that a log reports: prints "PASSED FAILED SKIPPED".
#
# It parses the closing lines of cargo test, of cargo-nextest and of node's test runner, and the
# last line of Selo's own checks: "[name: ]N passed, N failed[, N skipped]".
#
# usage: tools/count-tests.sh LOG
set -euo pipefail
sed 's/\x1b\[[0-9;]*m//g' "$1" | awk '
    /^test result: / {
        for (i = 2; i <= NF; i++) {
            if ($i ~ /^passed;/) passed += $(i - 1)
            if ($i ~ /^failed;/) failed += $(i - 1)
            if ($i ~ /^ignored;/) skipped += $(i - 1)
        }
        next
    }
    # "Summary [ 9.5s] 6 tests run: 4 passed (1 slow), 1 failed, 1 timed out, 2 skipped"
    /^ *Summary \[.*\] .* run: / {
        sub(/.* run: /, "")
        count = split($0, parts, ", ")
        for (i = 1; i <= count; i++) {
            number = parts[i] + 0
            if (parts[i] ~ /passed/) passed += number
            else if (parts[i] ~ /skipped/) skipped += number
            else failed += number
        }
        next
    }
    /^([^ ]+: )?[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ {
        sub(/^[^ ]+: /, "")
        passed += $1; failed += $3; skipped += $5
        next
    }
    # "# pass 4" if the output is a file, "i pass 4" (with a sign) on a terminal.
    /^[^ ]+ (pass|fail|cancelled|skipped|todo) [0-9]+$/ {
        if ($2 == "pass") passed += $3
        else if ($2 == "fail" || $2 == "cancelled") failed += $3
        else skipped += $3
    }
    END { printf "%d %d %d\n", passed, failed, skipped }
'
