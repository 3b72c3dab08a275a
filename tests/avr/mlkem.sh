#!/usr/bin/env bash
# Runs ML-KEM on simulated chips with the vectors of lab/vectors/ml-kem, and measures it: encapsulation
# in pieces on an ATmega328P, the functions on whole keys on an ATmega2560.
#
# usage: tests/avr/mlkem.sh [--all]      (needs cc, avr-gcc, python3, simavr)
set -euo pipefail
cd "$(dirname "$0")/../.."
out=out/avr
mkdir -p "$out"

make --no-print-directory -s -C lab/sims/call OUT="$PWD/target/sims"

image() { # MCU BITS IMAGE FLAG KEPT... (functions and variables)
    local mcu=$1 bits=$2 image=$3 flag=$4
    shift 4
    avr-gcc -mmcu="$mcu" -Os -std=c11 -Wall -Wextra -Werror -ffunction-sections -fdata-sections -Isrc \
        -DBITS="$bits" "$flag" -Wl,--gc-sections "${@/#/-Wl,--undefined=}" -o "$image" \
        tests/avr/mlkem_image.c src/selo/native/avr/{mlkem,keccak}_*.S src/selo/{mlkem,sha3,common}/*.c
}

failed=0
for bits in 512 768; do
    name=selo_mlkem$bits
    image atmega328p "$bits" "$out/mlkem$bits.elf" -DIN_PIECES state piece "${name}_encapsulate_"{start,key,read,finish}
    image atmega2560 "$bits" "$out/mlkem$bits-whole.elf" -DWHOLE public_key private_key ciphertext seed secret \
        "${name}_"{keygen,encapsulate,decapsulate}
    PYTHONDONTWRITEBYTECODE=1 python3 tests/avr/mlkem.py target/sims/selo-call "$bits" "$out/mlkem$bits.elf" \
        "$out/mlkem$bits-whole.elf" "$@" || failed=1
done
exit $failed
