#!/usr/bin/env bash
# Checks on the simulated ATmega328P that Ed25519 leaves no secret on the stack, and that its time depends
# on no secret (ed25519.py). The lab runs the vectors: selo lab check --board uno --algorithm ed25519.
#
# usage: tests/avr/ed25519.sh      (needs cc, avr-gcc, python3, simavr)
set -euo pipefail
cd "$(dirname "$0")/../.."
out=out/avr
mkdir -p "$out"

make --no-print-directory -s -C lab/sims/call OUT="$PWD/target/sims"
kept=(key signature seed message selo_ed25519_keygen selo_ed25519_sign selo_ed25519_verify)
avr-gcc -mmcu=atmega328p -O2 -mstrict-X -std=c11 -Wall -Wextra -Werror -ffunction-sections -fdata-sections -Isrc \
    -Wl,--gc-sections "${kept[@]/#/-Wl,--undefined=}" -o "$out/ed25519.elf" tests/avr/ed25519_image.c \
    src/selo/native/avr/{x25519,sha512}_*.S src/selo/{ed25519,x25519,sha2,common}/*.c
PYTHONDONTWRITEBYTECODE=1 python3 tests/avr/ed25519.py target/sims/selo-call "$out/ed25519.elf"
