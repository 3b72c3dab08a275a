#!/usr/bin/env bash
# Verifies SUIT manifests on the simulated ATmega328P (suit.py), and checks that tests/c/suit_vectors.h is what
# suit-vectors.py writes.
#
# usage: tests/avr/suit.sh      (needs cc, avr-gcc, python3 with cryptography, simavr)
set -euo pipefail
cd "$(dirname "$0")/../.."
out=out/avr
mkdir -p "$out"
export PYTHONDONTWRITEBYTECODE=1

echo "suit-vectors: $(python3 tests/c/suit-vectors.py --check)"
make --no-print-directory -s -C lab/sims/call OUT="$PWD/target/sims"
# Both kinds of signature together do not fit the chip.
for kind in ed25519 p256; do
    kept=(envelope public_key manifest "selo_suit_open_$kind")
    avr-gcc -mmcu=atmega328p -O2 -mstrict-X -std=c11 -Wall -Wextra -Werror -ffunction-sections -fdata-sections -Isrc \
        -Wl,--gc-sections "${kept[@]/#/-Wl,--undefined=}" -o "$out/suit-$kind.elf" tests/avr/suit_image.c \
        src/selo/native/avr/{x25519,p256,sha512,sha256}_*.S src/selo/{suit,ed25519,x25519,p256,hmac_drbg,sha2,common}/*.c \
        src/selo/hmac/hmac_sha256.c
done
python3 tests/avr/suit.py target/sims/selo-call "$out"/suit-{ed25519,p256}.elf
