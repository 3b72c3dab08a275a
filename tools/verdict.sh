# Sourced by checks: counts passed checks, and reports failed ones.
# shellcheck shell=bash

passed=0 failed=0

# verdict WHAT PROBLEMS: passes if PROBLEMS is empty.
verdict() {
    if [ -z "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s:\n%s\n' "$1" "$2" | head -n 20 >&2
    fi
}

# holds WHAT COMMAND...: passes if the command succeeds.
holds() {
    local what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
    fi
}
