#!/usr/bin/env bash
# Compiles every example for the Uno, and runs the cases of cases.txt on the simulator.
# Checks the sketches' output on the serial port, or their interplay with simulated
# surroundings.
#
# usage: tests/arduino/run.sh
# environment: SIMAVR_RUNNER  the runner program (default: built from lab/sims/simavr)
set -euo pipefail
cd "$(dirname "$0")/../.."
out=out/arduino
# The path must be absolute, because make runs in the runner's folder.
runners=$PWD/target/sims
runner=${SIMAVR_RUNNER:-$runners/selo-simavr}
mkdir -p "$out"
rm -rf "$out"/core.a "$out"/library*.a
[ -n "${SIMAVR_RUNNER:-}" ] || make --no-print-directory -s -C lab/sims/simavr OUT="$runners"

passed=0 failed=0
verdict() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
        echo "ok      $2"
    else
        failed=$((failed + 1))
        echo "FAILED  $2"
    fi
}

# The chip's output, from the runner's `recv HEX` lines.
serial_text() {
    local hex
    hex=$(sed -n 's/^recv //p' "$1" | tr -d '\n ')
    # shellcheck disable=SC2059 # the format is the text, as \x escapes
    printf "$(sed 's/../\\x&/g' <<<"$hex")"
}

# A sketch is an example of the library or of the station.
folder_of() { # SKETCH
    local folder=examples/$1
    [ -d "$folder" ] || folder=station/$folder
    echo "$folder"
}

for sketch in examples/*/ station/examples/*/; do
    name=$(basename "$sketch")
    # A sketch whose only cases are declarations is not for the Uno.
    if grep "| *$name *|" tests/arduino/cases.txt | grep -qv "| *interfaces *|"; then
        status=0
        tests/arduino/build-sketch.sh "$sketch" "$out/$name" || status=1
        verdict $status "$name compiles and fits"
    fi
    if ! grep -q "| *$name *|" tests/arduino/cases.txt; then
        verdict 1 "$name has a case in tests/arduino/cases.txt"
    fi
done

while IFS='|' read -r -u 3 name sketch flags cycles check; do
    case $name in
    '' | '#'*) continue ;;
    esac
    # shellcheck disable=SC2086 # trims, and splits flags into words
    set -- $name $sketch $cycles $flags
    name=$1 sketch=$2 cycles=$3
    shift 3
    [ "$1" != - ] || set --
    built=$out/$sketch
    if [ $# -gt 0 ]; then
        built=$out/$name/$sketch
        mkdir -p "$out/$name"
        # They are absent if they did not compile.
        cp -p "$out"/core.a "$out"/library.a "$out/$name/" 2>/dev/null || true
        if ! tests/arduino/build-sketch.sh "$(folder_of "$sketch")" "$built" "$@"; then
            verdict 1 "$name compiles"
            continue
        fi
    fi
    if [ "$cycles" = interfaces ]; then
        status=0
        $check || status=1
        verdict $status "$name"
        continue
    fi
    if [ "$cycles" = - ]; then
        status=0
        # shellcheck disable=SC2086 # a command made of words
        $check "$runner" "$built/$sketch.elf" "$out/$name" >"$out/$name.play" 2>&1 || status=1
        [ $status -eq 0 ] || sed 's/^/    | /' "$out/$name.play"
        verdict $status "$name"
        continue
    fi
    # A sketch never ends; the runner stops it at the limit, with exit status 3.
    "$runner" --mcu atmega328p --frequency 16000000 --limit "$cycles" "$built/$sketch.elf" \
        </dev/null >"$out/$name.runner" 2>"$out/$name.stderr" || true
    serial_text "$out/$name.runner" >"$out/$name.serial"
    status=0
    if ! grep -q '^stopped reason=cycle-limit' "$out/$name.runner"; then
        grep -E '^(fault|stopped|error)' "$out/$name.runner" || true
        status=1
    fi
    # shellcheck disable=SC2086 # a command made of words
    $check <"$out/$name.serial" || status=1
    [ $status -eq 0 ] || sed 's/^/    | /' "$out/$name.serial"
    verdict $status "$name"
done 3<tests/arduino/cases.txt

echo "arduino: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
