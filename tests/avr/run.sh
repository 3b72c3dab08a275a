#!/usr/bin/env bash
# Compares the assembly kernels of src/selo/native/avr/ on the simulated chip with the portable C
# on this machine (kernel.h). A test_<what>.c runs four times: on this machine; on the chip with
# the kernels; on the chip with SELO_NATIVE=0 and fewer cases; and, also with fewer cases, on the
# large chip, whose return addresses have three bytes, with code above the first 128 KB. It runs
# once more on the chip for each flag that its third line names.
#
# usage: tests/avr/run.sh [WHAT...]     (test_WHAT.c; default: all)
#        tests/avr/run.sh --cycles [WHAT...]   also prints the cycles and stacks measured,
#                                              which are always written to out/avr/kernels.txt
#                                              (for the large chip, kernels-large.txt)
# environment: SIMAVR_RUNNER  the runner program (default: built from lab/sims/simavr)
#              SELO_KERNEL_CASES  the number of inputs of most functions (default: 3000)
set -euo pipefail
cd "$(dirname "$0")/../.."
out=out/avr
runners=$PWD/target/sims
. tests/avr/objects.sh
runner=${SIMAVR_RUNNER:-$runners/selo-simavr}
mkdir -p "$out"
[ -n "${SIMAVR_RUNNER:-}" ] || make --no-print-directory -s -C lab/sims/simavr OUT="$runners"

cycles=0
if [ "${1:-}" = --cycles ]; then
    cycles=1
    shift
fi
tests=("$@")
[ $# -gt 0 ] || mapfile -t tests < <(basename -a -s .c tests/avr/test_*.c | sed 's/^test_//')

warnings="-std=gnu11 -Wall -Wextra -Werror -Wno-cast-function-type"
cases=${SELO_KERNEL_CASES:-3000}
# Fewer cases where the chip runs portable C, which is slow there.
few=200

# The C files of the folders of src/selo/ named on the test's second line, and all assembly.
sources_of() { # TEST SUFFIX
    local folder
    for folder in common $(sed -n '2s|^/\* sources: \(.*\) \*/$|\1|p' "tests/avr/test_$1.c"); do
        echo src/selo/$folder/*.c
    done
    [ "$2" = c ] || echo src/selo/native/avr/*.S
}

# The flags of native/api.h that select another kernel.
settings_of() { # TEST
    sed -n '3s|^/\* settings: \(.*\) \*/$|\1|p' "tests/avr/test_$1.c"
}

for_host() { # PROGRAM TEST CASES
    # The kernels of AES have key schedules in bytes, as the C with tables; those of ML-KEM have
    # the coefficients of the C for 8-bit chips.
    compile_for_host "$1" "$out/objects-host" "$3" "-DSELO_AES_TABLES=1 -DSELO_MLKEM_WORDS=0" \
        "tests/avr/test_$2.c" $(sources_of "$2" c)
}

for_chip() { # CHIP IMAGE TEST CASES FLAG...
    local chip=$1 image=$2 test=$3 cases=$4 folder command objects=()
    shift 4
    # The tests of a chip share their objects. Only the tests depend on the number of inputs.
    folder=$out/objects-$chip$(name_of "$@")
    command="avr-gcc -mmcu=$chip $warnings -Os -ffunction-sections -fdata-sections $* -Isrc -Itests/avr"
    compile_into "$folder-$cases" "$command -DKERNEL_CASES=$cases" "tests/avr/test_$test.c" tests/avr/kernel.c &&
        compile_into "$folder" "$command" tests/avr/call.S $(sources_of "$test" S) || return 1
    avr-gcc -mmcu="$chip" -Os "$@" "${objects[@]}" -Wl,--gc-sections -o "$image"
}

# The chip's output, from the runner's `recv HEX` lines.
on_chip() { # CHIP IMAGE
    "$runner" --mcu "$1" --frequency 16000000 --limit 20000000000 "$2" </dev/null 2>/dev/null >"$2.lines" || true
    # shellcheck disable=SC2059 # the format is the text, as \x escapes
    printf "$(sed -n 's/^recv //p' "$2.lines" | tr -d ' \n' | sed 's/../\\x&/g')"
}

one() { # TEST
    local test=$1 base=$out/$1 status=0 texts=("$out/$1" "$out/$1-c" "$out/$1-large") flag
    for_host "$base.host" "$test" "$cases" && for_host "$base.host-few" "$test" $few &&
        for_chip atmega328p "$base.elf" "$test" "$cases" &&
        for_chip atmega328p "$base-c.elf" "$test" $few -DSELO_NATIVE=0 &&
        for_chip atmega2560 "$base-large.elf" "$test" $few -Wl,--undefined=kernel_ballast || return 1
    "$base.host" >"$base.expected"
    "$base.host-few" >"$base-c.expected"
    cp "$base-c.expected" "$base-large.expected"
    on_chip atmega328p "$base.elf" >"$base.txt" || true
    on_chip atmega328p "$base-c.elf" >"$base-c.txt" || true
    on_chip atmega2560 "$base-large.elf" >"$base-large.txt" || true
    for flag in $(settings_of "$test"); do
        texts+=("$base$flag")
        for_chip atmega328p "$base$flag.elf" "$test" "$cases" "$flag" || return 1
        cp "$base.expected" "$base$flag.expected"
        on_chip atmega328p "$base$flag.elf" >"$base$flag.txt" || true
    done
    for text in "${texts[@]}"; do
        if ! diff <(grep -v '^!' "$text.txt") "$text.expected" >"$text.diff"; then
            echo "FAILED  $text (left: the chip; right: this machine)"
            cat "$text.diff"
            tail -n 1 "$text.elf.lines"
            status=1
        fi
    done
    return $status
}

# Prints the measured figures, one line for each kernel. A setting's flag follows the name.
figures() { # TEST FLAG FILE
    join <(sed -n 's/^! //p' "$3" | sort) <(sed -n 's/^! //p' "$out/$1-c.txt" | sort) |
        awk -v flag="$2" '{ printf "%-48s %s %s   in C: %s %s\n", $1 flag, $2, $3, $4, $5 }' >>"$out/kernels.txt"
}

passed=0 failed=0
rm -rf "$out"/objects-*
: >"$out/kernels.txt"
: >"$out/kernels-large.txt"
for test in "${tests[@]}"; do
    if one "$test"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
    figures "$test" "" "$out/$test.txt"
    sed -n 's/^! //p' "$out/$test-large.txt" >>"$out/kernels-large.txt"
    for flag in $(settings_of "$test"); do
        figures "$test" ",$flag" "$out/$test$flag.txt"
    done
done
[ $cycles = 0 ] || cat "$out/kernels.txt" "$out/kernels-large.txt"
echo "avr kernels: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
