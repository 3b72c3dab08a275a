#!/usr/bin/env bash
# Runs the steps of tools/test-steps.txt, keeps a log of each in out/test/, and ends with
# the failed tests and the line "N passed, N failed[, N skipped]". Steps of one group run
# one after another; steps of several groups run side by side.
#
# usage: tools/test.sh [GROUP | STEP]...     (none: everything)
#        tools/test.sh --list
# environment: CI=true      a step that cannot run counts as a failure
#              STEP_SECONDS maximum time of a step in seconds (default 3600)
#              LANES        number of steps at a time (default 3)
#              SELO_COMPILER_CACHE  folder of the C compilers' results, or no (tools/env.sh)
# exit: 0 all passed; 1 something failed; 2 no such group or step
set -uo pipefail
cd "$(dirname "$0")/.."
. tools/env.sh
selo_find_rust || true

# The folder of the tests' build, for scripts that start its commands.
export SELO_BUILT=target/debug
selo_build_for_tests
selo_cache_compilers

logs=out/test
steps=${TEST_STEPS:-tools/test-steps.txt}
lanes=${LANES:-3}
case $lanes in
'' | *[!0-9]* | 0)
    echo "test: LANES is '$lanes', not a number of steps (1 or more)" >&2
    exit 2
    ;;
esac
mkdir -p "$logs"

trim() {
    local text=$1
    text=${text#"${text%%[![:space:]]*}"}
    printf '%s' "${text%"${text##*[![:space:]]}"}"
}

# Calls $1 with the group, name, needs and command of every step, in order.
each_step() {
    local group name needs command
    # Use file descriptor 3, so that a step does not read the list from its standard input.
    while IFS='|' read -r -u 3 group name needs command; do
        group=$(trim "$group")
        case $group in
        '' | '#'*) continue ;;
        esac
        "$1" "$group" "$(trim "$name")" "$(trim "$needs")" "$(trim "$command")"
    # shellcheck disable=SC2086 # one file, or several
    done 3< <(cat $steps)
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

# The selected steps in order, and the fields of each.
order=()
declare -A group_of=() needs_of=() command_of=()
plan_step() {
    selected "$1" "$2" || return 0
    order+=("$2")
    group_of[$2]=$1 needs_of[$2]=$3 command_of[$2]=$4
}

available() {
    case $1 in
    @*) true ;; # another step: see ready
    */*) [ -e "$1" ] ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

# The first need that the machine lacks, with its question mark. Empty if none.
lacking() {
    local need
    for need in $1; do
        if ! available "${need#\?}"; then
            printf '%s' "$need"
            return
        fi
    done
}

passed=0 failed=0 skipped=0 all_cpu=0
failures=() skips=() reasons=()
# The state of each step (waiting, running, or ended), and the processes of running steps.
declare -A state=() started_at=() process_of=()

line() { printf '  %-18s %-8s %s\n' "$1" "$2" "$3"; }

# The seconds of CPU in the second line of what `times` printed: 1m2.345s 0m1.000s.
cpu_of_children() { # FILE
    awk -F'[ms ]+' 'NR == 2 { print int($1 * 60 + $2 + $3 * 60 + $4) }' "$1"
}

# Starts a step, or reports at once that it cannot run.
start_step() {
    local name=$1 missing log
    missing=$(lacking "${needs_of[$name]}")
    if [ -n "$missing" ]; then
        state[$name]=ended
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
    # The log's first line is the command, so that a user can repeat it.
    echo "\$ ${command_of[$name]}" >"$log"
    {
        TERM=dumb NO_COLOR=1 CARGO_TERM_COLOR=never \
            timeout --kill-after=10 "${STEP_SECONDS:-3600}" bash -c "${command_of[$name]}" \
            >>"$log" 2>&1 </dev/null 4>&- &
        trap 'kill $!' TERM
        wait $!
        status=$?
        times >"$logs/$name.times"
        echo "$name $status $(cpu_of_children "$logs/$name.times")" >&4
    } &
    state[$name]=running started_at[$name]=$SECONDS process_of[$name]=$!
}

# Counts and reports the result of a step that ended with status $2 after $3 seconds of CPU.
end_step() {
    local name=$1 status=$2 cpu=$3 log=$logs/$1.log seconds p f s detail
    state[$name]=ended
    unset "process_of[$name]"
    seconds=$((SECONDS - started_at[$name]))
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
    all_cpu=$((all_cpu + cpu))
    detail="$p passed, $f failed"
    [ "$s" -eq 0 ] || detail="$detail, $s skipped"
    detail="$detail (${seconds} s, ${cpu} of CPU)"

    if [ "$status" -eq 0 ]; then
        line "$name" ok "$detail"
        return 0
    fi
    failures+=("$name")
    reasons+=("$(tools/failed-tests.sh "$log")")
    line "$name" FAILED "$detail"
    case $status in
    124 | 137)
        echo "    stopped after ${STEP_SECONDS:-3600} seconds"
        reasons[-1]+=$'\n'"stopped after ${STEP_SECONDS:-3600} seconds"
        ;;
    esac
    tail -n 40 "$log" | sed 's/^/    | /'
    echo "    the whole log: $log"
}

# Puts the first step that may run now into $next: no step of its group is running or waits before
# it, and each step that it needs (a need with @) has ended or is not selected.
find_ready() {
    local name group need
    local -A seen=()
    for name in "${!process_of[@]}"; do
        seen[${group_of[$name]}]=yes
    done
    next=
    for name in "${order[@]}"; do
        group=${group_of[$name]}
        [ "${state[$name]}" = waiting ] && [ -z "${seen[$group]:-}" ] || continue
        seen[$group]=yes
        for need in ${needs_of[$name]}; do
            case $need in
            @*) case ${state[${need#@}]:-ended} in ended) ;; *) continue 2 ;; esac ;;
            esac
        done
        next=$name
        return 0
    done
    return 1
}

if [ "${1:-}" = --list ]; then
    print_step() { printf '%-8s %-18s %s\n' "$1" "$2" "$4"; }
    each_step print_step
    exit 0
fi

each_step plan_step
if [ ${#order[@]} -eq 0 ]; then
    echo "test: no group or step is called: ${wanted[*]:-}" >&2
    echo "hint: tools/test.sh --list" >&2
    exit 2
fi
for name in "${order[@]}"; do
    state[$name]=waiting
done

# Steps report their end here. `wait -n` can miss a step that ends while another is counted.
ends=$(mktemp -u)
mkfifo "$ends"
exec 4<>"$ends"
rm -f "$ends"
# `timeout` has a process group of its own, which Ctrl-C does not reach.
trap 'kill "${process_of[@]}" 2>/dev/null; wait; exit 130' INT TERM
while :; do
    while [ ${#process_of[@]} -lt "$lanes" ] && find_ready; do
        start_step "$next"
    done
    [ ${#process_of[@]} -gt 0 ] || break
    read -r -u 4 name status cpu
    end_step "$name" "$status" "$cpu"
done
for name in "${order[@]}"; do
    [ "${state[$name]}" = waiting ] || continue
    failed=$((failed + 1))
    failures+=("$name")
    reasons+=("it waits for a step that comes after it: ${needs_of[$name]}")
    line "$name" FAILED "it waits for a step that comes after it"
done

echo
printf 'steps: %d, in %d min %d s, %d min of CPU\n' ${#order[@]} $((SECONDS / 60)) $((SECONDS % 60)) $((all_cpu / 60))
[ ${#skips[@]} -eq 0 ] || printf 'skipped: %s\n' "${skips[@]}"
# Repeat the failed tests with their reasons, because readers often see only the end of the output.
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
