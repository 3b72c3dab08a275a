#!/usr/bin/env bash
# Runs the unit tests of the C library that have code for AArch64, in an emulated CPU: once with
# the vectors that each such CPU has, once with the instructions for AES and hashes too.
#
# usage: tests/arm64/run.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
tests="aes gcm modes chacha20_poly1305 sha2 sha3 blake2s ascon speck"
failed=0 passed=0

build() { # MARCH
    local source objects=()
    mkdir -p "$out/$1"
    for source in $(find src/selo -name '*.c' ! -path '*/link/*' ! -path '*/noise/*' \
        ! -path '*/mlkem/*' ! -path '*/p256/*' ! -path '*/ed25519/*' ! -path '*/x25519/*' ! -path '*/suit/*' | sort); do
        objects+=("$out/$1/$(tr / _ <<<"${source%.c}").o")
        echo "$source ${objects[-1]}"
    done | xargs -P2 -L1 sh -c \
        "aarch64-linux-gnu-gcc -std=c11 -O2 -march=$1 -Wall -Wextra -Werror -Isrc -c -o \$1 \$0"
    aarch64-linux-gnu-ar rcs "$out/$1/libselo.a" "$out/$1"/*.o
}

for march in armv8-a armv8-a+crypto; do
    build "$march"
    for test in $tests; do
        aarch64-linux-gnu-gcc -std=c11 -O2 -march="$march" -static -Isrc -Itests/c \
            -o "$out/$march/$test" "tests/c/test_$test.c" "$out/$march/libselo.a"
        echo "-- $march"
        if qemu-aarch64 -cpu max "$out/$march/$test"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
        fi
    done
done
echo "arm64: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
