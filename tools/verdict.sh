# Sourced by checks: counts what holds, and says what does not.
# shellcheck shell=bash

passed=0 failed=0

# verdict WHAT PROBLEMS: PROBLEMS is empty where WHAT is as it should be.
verdict() {
    if [ -z "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s:\n%s\n' "$1" "$2" | head -n 20 >&2
    fi
}
