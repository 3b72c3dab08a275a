#!/usr/bin/env bash
# Runs ML-KEM's encapsulation in pieces on the simulated ATmega328P, with the vectors of
# lab/vectors/ml-kem, and measures its cycles, stack, RAM and flash.
#
# usage: tests/avr/mlkem.sh [--all]      (needs cc, avr-gcc, python3, simavr)
set -euo pipefail
cd "$(dirname "$0")/../.."
out=out/avr
mkdir -p "$out"

make --no-print-directory -s -C lab/sims/call OUT="$PWD/target/sims"
for bits in 512 768; do
    entries=(start key read finish)
    avr-gcc -mmcu=atmega328p -Os -std=c11 -Wall -Wextra -Werror -ffunction-sections -fdata-sections -Isrc \
        -Wl,--gc-sections,--undefined=encapsulation_state "${entries[@]/#/-Wl,--undefined=selo_mlkem${bits}_encapsulate_}" -o "$out/mlkem$bits.elf" \
        tests/avr/mlkem_image.c src/selo/native/avr/{mlkem,keccak}_*.S src/selo/{mlkem,sha3,common}/*.c
    PYTHONDONTWRITEBYTECODE=1 python3 tests/avr/mlkem.py target/sims/selo-call "$out/mlkem$bits.elf" "$bits" "$@"
done
