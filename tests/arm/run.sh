#!/usr/bin/env bash
# Compares the kernels for ARM (src/selo/native/arm*/) on emulated cores with the portable C on this
# machine (tests/avr/kernel.h). A test_<what>.c, here or in tests/avr, runs on each core with the
# kernels and with SELO_NATIVE=0, and once on this machine; all must print the same. On a core every
# call fills the registers that a callee must keep and checks them, and every timed call must have
# the same instructions of each class.
#
# usage: tests/arm/run.sh [--figures] [WHAT...]   (default: every kernel)
#        --figures prints what out/arm/kernels.txt always gets: modelled cycles, instructions and
#        stack of each kernel on each core, beside those of the C. Whole messages, whose figures
#        also depend on the compiler, are in out/arm/messages.txt. The flash of each file with
#        kernels ends the list.
# environment: SELO_ARM_CORES  the cores (default: m0 m3 m4 m7 m33)
#                              m0plus is emulated as an M0, and has a cycle model of its own
#              SELO_ARM_CC     the compiler (default: arm-none-eabi-gcc)
#              SELO_ARM_OPTIMISE  its optimisation (default: -Os, which the baseline is of)
#              SELO_ARM_OUT    the folder of the results (default: out/arm)
#              SELO_KERNEL_CASES  the number of inputs of most functions (default: 2000)
#              SELO_KERNEL_C   the cores that also run the portable C (default: all of them). On the
#                              others the kernels' figures stand alone
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${SELO_ARM_OUT:-out/arm}
plugin=$PWD/target/sims/selo-qemu.so
. tests/avr/objects.sh
mkdir -p "$out"
make --no-print-directory -s -C lab/sims/qemu OUT="$PWD/target/sims"

figures=0
if [ "${1:-}" = --figures ]; then
    figures=1
    shift
fi
tests=("$@")
[ $# -gt 0 ] || tests=(aes aes_modes aes_table ascon ascon_aead128 blake2s chacha20 chacha20_poly1305 ghash keccak mlkem p256 poly1305 sha256 sha3 sha512 x25519 x25519_ladder)
read -ra cores <<<"${SELO_ARM_CORES:-m0 m3 m4 m7 m33}"
read -ra with_c <<<"${SELO_KERNEL_C-${cores[*]}}"
cc=${SELO_ARM_CC:-arm-none-eabi-gcc}

warnings="-std=gnu11 -Wall -Wextra -Werror -Wno-cast-function-type"
# Fewer cases than on AVR: QEMU is slower at starting than at running, but C is slow.
cases=${SELO_KERNEL_CASES:-2000}

# The emulated machine of a core, its memory map, and its cycle model or none.
machine_of() { case $1 in m0 | m0plus) echo microbit ;; m3) echo mps2-an385 ;; m4) echo mps2-an386 ;; m7) echo mps2-an500 ;; m33) echo mps2-an505 ;; esac }
memory_of() { case $1 in m33) echo 0x10000000 0x38000000 ;; *) echo 0 0x20000000 ;; esac }
model_of() { case $1 in m0 | m0plus | m3 | m4) echo cortex-$1 ;; *) echo - ;; esac }

source_of() { [ -e "tests/arm/test_$1.c" ] && echo "tests/arm/test_$1.c" || echo "tests/avr/test_$1.c"; }

# The C files of the folders of src/selo/ that the test's second line names.
sources_of() { # TEST
    local folder
    for folder in common $(sed -n '2s|^/\* sources: \(.*\) \*/$|\1|p' "$(source_of "$1")"); do
        echo src/selo/$folder/*.c
    done
}

# kernels, or messages where the test's line says so.
figures_of() { # TEST
    grep -q '^/\* figures: messages \*/$' "$(source_of "$1")" && echo messages || echo kernels
}

# The flags that make this machine compile the C that the kernels replace; the test's line names them.
host_flags_of() { # TEST
    sed -n 's|^/\* host: \(.*\) \*/$|\1|p' "$(source_of "$1")"
}

# The flags that a test has for both machines.
flags_for() { # TEST
    sed -n 's|^/\* flags: \(.*\) \*/$|\1|p' "$(source_of "$1")"
}

# A test of C that few cores need names them.
wanted_on() { # TEST CORE
    local only
    only=$(sed -n 's|^/\* cores: \(.*\) \*/$|\1|p' "$(source_of "$1")")
    [ -z "$only" ] || [[ " $only " == *" $2 "* ]]
}

for_host() { # PROGRAM TEST
    compile_for_host "$1" "$out/objects-host" "$cases" "$(flags_for "$2") $(host_flags_of "$2")" \
        "$(source_of "$2")" $(sources_of "$2")
}

for_core() { # CORE IMAGE TEST FLAG...
    local core=$1 image=$2 test=$3 memory
    shift 3
    set -- $(flags_for "$test") "$@"
    read -ra memory < <(memory_of "$core")
    local flags="-mcpu=cortex-$core -mthumb ${SELO_ARM_OPTIMISE:--Os} -ffunction-sections -fdata-sections -DKERNEL_CASES=$cases"
    local include="-Isrc -Itests/avr -Ilab/firmware/ports/bare"
    local files objects=() kernels
    # Without native kernels these files are empty.
    kernels=$(echo src/selo/native/armv*/*.S)
    [[ " $* " != *" -DSELO_NATIVE=0 "* ]] || kernels=
    files="$(source_of "$test") tests/avr/kernel.c tests/arm/chip.c tests/arm/call.S \
        lab/firmware/ports/bare/semihosting.c lab/firmware/ports/bare/support.c \
        lab/firmware/ports/cortex-m/core.c $(sources_of "$test") \
        $kernels"
    # The tests of a core share their objects.
    compile_into "$out/objects-$core$(name_of "$@")" "$cc $warnings $flags $* $include" $files || return 1
    arm-none-eabi-gcc -mcpu=cortex-"$core" -mthumb "${objects[@]}" -Wl,--gc-sections -nostartfiles -specs=nano.specs \
        -specs=nosys.specs -Tlab/firmware/ports/bare/sections.ld -Wl,--defsym=port_code="${memory[0]}" \
        -Wl,--defsym=port_data="${memory[1]}" -Wl,--defsym=port_ram=16384 -Wl,--no-warn-rwx-segments -o "$image"
}

on_core() { # CORE IMAGE
    local cpu=() more=()
    [[ $1 != m0* ]] || more=(-global nrf51-soc.sram-size=0x200000 -global nrf51-soc.flash-size=0x200000)
    python3 tests/arm/emulate.py "$(model_of "$1")" "$plugin" "$2" \
        qemu-system-arm -M "$(machine_of "$1")" "${more[@]}" -display none -monitor none \
        -serial none -semihosting-config enable=on,target=native -kernel '{image}'
}

one() { # TEST CORE
    local base=$out/$1-$2 status=0 kind kinds
    kinds_on "$2" "${with_c[@]}"
    for_core "$2" "$base-kernels.elf" "$1" || return 1
    [ ${#kinds[@]} = 1 ] || for_core "$2" "$base-c.elf" "$1" -DSELO_NATIVE=0 || return 1
    for kind in "${kinds[@]}"; do
        on_core "$2" "$base-$kind.elf" >"$base-$kind.txt" || true
        if ! diff <(grep -v '^!' "$base-$kind.txt") "$out/$1.expected" || grep UNEQUAL "$base-$kind.txt"; then
            echo "FAILED  $base-$kind (left: the core; right: this machine)"
            status=1
        fi
    done
    join_figures "$base" "${kinds[@]}" |
        awk -v core="$2" '{ printf "%-4s %-16s %s %s %s   in C: %s %s %s\n", core, $1, $2, $3, $4, $5, $6, $7 }' >>"$out/$(figures_of "$1").txt"
    return $status
}

passed=0 failed=0
rm -rf "$out"/objects-*
: >"$out/kernels.txt"
: >"$out/messages.txt"
for test in "${tests[@]}"; do
    for_host "$out/$test.host" "$test"
    "$out/$test.host" >"$out/$test.expected"
    for core in "${cores[@]}"; do
        wanted_on "$test" "$core" || continue
        if one "$test" "$core"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
        fi
    done
done
[ $figures = 0 ] || cat "$out/kernels.txt" "$out/messages.txt"
echo "arm kernels: $passed passed, $failed failed"
[ $figures = 0 ] || for core in "${cores[@]}"; do
    [ -d "$out/objects-$core" ] || continue # tests with flags have no kernels
    arm-none-eabi-size "$out/objects-$core"/src_selo_native_*.o |
        sed -n "s|^ *\([1-9][0-9]*\).*/src_selo_native_\([a-z0-9]*\)_\(.*\)\.o$|$core \2/\3 flash=\1|p" | sort -u
done
[ "$failed" -eq 0 ]
