#!/usr/bin/env bash
# Compares the kernels for RV32 (src/selo/native/riscv32/) on an emulated core with the portable C on
# this machine (tests/avr/kernel.h), as tests/arm/run.sh does for ARM: the tests, the checks of
# registers and the emulator are the same. Every timed call must have the same instructions of each
# class.
#
# usage: tests/riscv/run.sh [--figures] [WHAT...]   (default: every kernel)
#        --figures prints what out/riscv/kernels.txt always gets: instructions and stack of each
#        kernel for each instruction set, beside those of the C; and the flash of each kernel
# environment: SELO_RISCV_SETS  the instruction sets (default: rv32imc rv32imc_zbb)
#              SELO_RISCV_CC    the compiler (default: riscv64-unknown-elf-gcc)
set -euo pipefail
cd "$(dirname "$0")/../.."
out=out/riscv
plugin=$PWD/target/sims/selo-qemu.so
mkdir -p "$out"
make --no-print-directory -s -C lab/sims/qemu OUT="$PWD/target/sims"
export OBJCOPY=riscv64-unknown-elf-objcopy

figures=0
if [ "${1:-}" = --figures ]; then
    figures=1
    shift
fi
tests=("$@")
[ $# -gt 0 ] || tests=(ascon blake2s chacha20 keccak sha256 x25519 x25519_whole)
read -ra sets <<<"${SELO_RISCV_SETS:-rv32imc rv32imc_zbb}"
cc=${SELO_RISCV_CC:-riscv64-unknown-elf-gcc}

warnings="-std=gnu11 -Wall -Wextra -Werror -Wno-cast-function-type"
cases=1000

source_of() { ls "tests/riscv/test_$1.c" "tests/arm/test_$1.c" "tests/avr/test_$1.c" 2>/dev/null | head -1; }

# The C files of the folders of src/selo/ that the test's second line names.
sources_of() { # TEST
    local folder
    for folder in common $(sed -n '2s|^/\* sources: \(.*\) \*/$|\1|p' "$(source_of "$1")"); do
        echo src/selo/$folder/*.c
    done
}

for_host() { # PROGRAM TEST
    cc $warnings -O2 -DKERNEL_CASES=$cases -Isrc -Itests/avr "$(source_of "$2")" tests/avr/kernel.c \
        $(sources_of "$2") -o "$1"
}

for_core() { # SET IMAGE TEST FLAG...
    local set=$1 image=$2 test=$3
    shift 3
    local files objects="$image.objects" root=$PWD
    files="$(source_of "$test") tests/avr/kernel.c tests/arm/chip.c tests/riscv/call.S \
        lab/firmware/ports/bare/semihosting.c lab/firmware/ports/bare/support.c \
        lab/firmware/ports/riscv32/core.c $(sources_of "$test") $(echo src/selo/native/riscv32/*.S)"
    rm -rf "$objects"
    mkdir -p "$objects"
    # One call of the compiler, which leaves its objects where it is.
    (cd "$objects" && $cc $warnings -march="$set" -mabi=ilp32 -specs=picolibc.specs -Os -ffunction-sections \
        -fdata-sections -DKERNEL_CASES=$cases "$@" -I"$root/src" -I"$root/tests/avr" \
        -I"$root/lab/firmware/ports/bare" -c $(printf " $root/%s" $files)) || return 1
    # The C library has no folder for each extension, so the linker gets the set without them.
    $cc -march=rv32imc -mabi=ilp32 -specs=picolibc.specs "$objects"/*.o -Wl,--gc-sections -nostartfiles \
        -Tlab/firmware/ports/bare/sections.ld -Wl,--defsym=port_code=0x80000000 \
        -Wl,--defsym=port_data=0x80420000 -Wl,--defsym=port_ram=16384 -o "$image"
}

on_core() { # IMAGE
    python3 tests/arm/emulate.py - "$plugin" "$1" qemu-system-riscv32 -M virt -bios none -display none \
        -monitor none -serial none -semihosting-config enable=on,target=native -kernel '{image}'
}

one() { # TEST SET
    local base=$out/$1-$2 status=0 kind
    for_core "$2" "$base-kernels.elf" "$1" && for_core "$2" "$base-c.elf" "$1" -DSELO_NATIVE=0 || return 1
    for kind in kernels c; do
        on_core "$base-$kind.elf" >"$base-$kind.txt" || true
        if ! diff <(grep -v '^!' "$base-$kind.txt") "$out/$1.expected" || grep UNEQUAL "$base-$kind.txt"; then
            echo "FAILED  $base-$kind (left: the core; right: this machine)"
            status=1
        fi
    done
    join <(sed -n 's/^! //p' "$base-kernels.txt" | sort) <(sed -n 's/^! //p' "$base-c.txt" | sort) |
        awk -v set="$2" '{ printf "%-11s %-16s %s %s   in C: %s %s\n", set, $1, $3, $4, $6, $7 }' >>"$out/kernels.txt"
    riscv64-unknown-elf-nm -S -t d "$base-kernels.elf.objects"/*_riscv32.o |
        awk -v set="$2" '$3 == "T" { printf "%-11s %-34s flash=%d\n", set, $4, $2 }' >>"$out/flash.txt"
    return $status
}

passed=0 failed=0
: >"$out/kernels.txt"
: >"$out/flash.txt"
for test in "${tests[@]}"; do
    for_host "$out/$test.host" "$test"
    "$out/$test.host" >"$out/$test.expected"
    for set in "${sets[@]}"; do
        if one "$test" "$set"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
        fi
    done
done
sort -u "$out/flash.txt" >>"$out/kernels.txt"
[ $figures = 0 ] || cat "$out/kernels.txt"
echo "riscv kernels: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
