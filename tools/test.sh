#!/usr/bin/env bash
# Runs the steps of tools/test-steps.txt, keeps a log of each in out/test/, and
# ends with the tests that failed and the line "N passed, N failed[, N skipped]".
#
# usage: tools/test.sh [GROUP | STEP]...     (none: everything)
#        tools/test.sh --list
# environment: CI=true      a step that cannot run is a failure
#              STEP_SECONDS the longest that a step may take (default 1800)
# exit: 0 all passed; 1 something failed; 2 no such group or step
set -uo pipefail
cd "$(dirname "$0")/.."
. tools/env.sh
selo_find_rust || true

logs=out/test
steps=${TEST_STEPS:-tools/test-steps.txt}
mkdir -p "$logs"

trim() {
    local text=$1
    text=${text#"${text%%[![:space:]]*}"}
    printf '%s' "${text%"${text##*[![:space:]]}"}"
}

# Calls $1 with group, name, needs and command of every step, in order.
each_step() {
    local group name needs command
    # File descriptor 3: a step must not eat the list on its standard input.
    while IFS='|' read -r -u 3 group name needs command; do
        group=$(trim "$group")
        case $group in
        '' | '#'*) continue ;;
        esac
        "$1" "$group" "$(trim "$name")" "$(trim "$needs")" "$(trim "$command")"
    done 3<"$steps"
}

wanted=("$@")
selected() {
    local want
    [ ${#wanted[@]} -gt 0 ] || return 0
    for want in "${wanted[@]}"; do
        if [ "$want" = "$1" ] || [ "$want" = "$2" ]; then
            return 0
        fi
    done
    return 1
}

available() {
    case $1 in
    */*) [ -e "$1" ] ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

# The first need that the machine lacks, with its question mark; empty if none.
lacking() {
    local need
    for need in $1; do
        if ! available "${need#\?}"; then
            printf '%s' "$need"
            return
        fi
    done
}

passed=0 failed=0 skipped=0 ran=0
failures=() skips=() reasons=() flaky=""

line() { printf '  %-18s %-8s %s\n' "$1" "$2" "$3"; }

run_step() {
    local group=$1 name=$2 needs=$3 command=$4
    local missing log started seconds status p f s detail told
    selected "$group" "$name" || return 0
    ran=$((ran + 1))

    missing=$(lacking "$needs")
    if [ -n "$missing" ]; then
        if [ "${CI:-}" = true ] && [ "${missing#\?}" = "$missing" ]; then
            failed=$((failed + 1))
            failures+=("$name")
            reasons+=("cannot run: no $missing")
            line "$name" FAILED "cannot run: no $missing"
        else
            skipped=$((skipped + 1))
            skips+=("$name (no ${missing#\?})")
            line "$name" skipped "no ${missing#\?}"
        fi
        return 0
    fi

    log=$logs/$name.log
    started=$SECONDS
    # The log's first line is the command, so that it can be repeated by hand.
    echo "\$ $command" >"$log"
    TERM=dumb NO_COLOR=1 CARGO_TERM_COLOR=never \
        timeout --kill-after=10 "${STEP_SECONDS:-1800}" bash -c "$command" >>"$log" 2>&1 </dev/null
    status=$?
    seconds=$((SECONDS - started))

    read -r p f s <<<"$(tools/count-tests.sh "$log")"
    if [ "$status" -eq 0 ] && [ "$f" -gt 0 ]; then
        status=1 # a suite that reports failures but exits 0 has failed all the same
    fi
    if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
        f=1
    elif [ "$status" -eq 0 ] && [ "$p" -eq 0 ]; then
        p=1
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    told=$(sed -n "s/^flaky: /$name: /p" "$log")
    [ -z "$told" ] || flaky+=$told$'\n'
    detail="$p passed, $f failed"
    [ "$s" -eq 0 ] || detail="$detail, $s skipped"

    if [ "$status" -eq 0 ]; then
        line "$name" ok "$detail (${seconds} s)"
        return 0
    fi
    failures+=("$name")
    reasons+=("$(tools/failed-tests.sh "$log")")
    line "$name" FAILED "$detail (${seconds} s)"
    case $status in
    124 | 137)
        echo "    stopped after ${STEP_SECONDS:-1800} seconds"
        reasons[-1]+=$'\n'"stopped after ${STEP_SECONDS:-1800} seconds"
        ;;
    esac
    tail -n 40 "$log" | sed 's/^/    | /'
    echo "    the whole log: $log"
}

if [ "${1:-}" = --list ]; then
    print_step() { printf '%-8s %-18s %s\n' "$1" "$2" "$4"; }
    each_step print_step
    exit 0
fi

each_step run_step

if [ "$ran" -eq 0 ]; then
    echo "test: no group or step is called: ${wanted[*]:-}" >&2
    echo "hint: tools/test.sh --list" >&2
    exit 2
fi

echo
[ ${#skips[@]} -eq 0 ] || printf 'skipped: %s\n' "${skips[@]}"
# Passed on retry.
printf '%s' "$flaky" | sed 's/^/flaky: /'
# Which test, and why: the end of the output is often all that one gets to see.
for i in "${!failures[@]}"; do
    echo "failed: ${failures[i]}"
    sed 's/^/    | /' <<<"${reasons[i]}"
done
if [ "$skipped" -eq 0 ]; then
    echo "$passed passed, $failed failed"
else
    echo "$passed passed, $failed failed, $skipped skipped"
fi
[ ${#failures[@]} -eq 0 ]
