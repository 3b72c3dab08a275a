#!/usr/bin/env bash
# Checks P-256 on the simulated ATmega328P (p256.py): the kernels against Python's integers, and that its
# functions leave no secret on the stack and take a time that depends on no secret. The lab runs the
# vectors: selo lab check --board uno --algorithm ecdh-p-256,ecdsa-p-256.
#
# usage: tests/avr/p256.sh [--teeth N] [--cases N]      (needs cc, avr-gcc, python3, simavr)
#        --teeth 6 or 4: another table of the base point, without the small variant
set -euo pipefail
cd "$(dirname "$0")/../.."
out=out/avr
mkdir -p "$out"

make --no-print-directory -s -C lab/sims/call OUT="$PWD/target/sims"
kept=(public_key signature secret message shared)
kept+=(selo_p256_keygen selo_p256_shared_secret selo_p256_sign selo_p256_verify)
sizes="fast small" teeth=()
if [ "${1:-}" = --teeth ]; then
    sizes=fast teeth=(-DSELO_P256_TEETH="$2")
fi
for size in $sizes; do
    flags=("${teeth[@]}") options=()
    [ "$size" = fast ] || { flags=(-DSELO_P256_SMALL=1) options=(--small --teeth 4); }
    echo "-- $size"
    avr-gcc -mmcu=atmega328p -O2 -mstrict-X -std=c11 -Wall -Wextra -Werror -ffunction-sections -fdata-sections -Isrc \
        "${flags[@]}" -Wl,--gc-sections "${kept[@]/#/-Wl,--undefined=}" -o "$out/p256-$size.elf" tests/avr/p256_image.c \
        src/selo/native/avr/{p256,sha256}_*.S src/selo/{p256,hmac_drbg,sha2,common}/*.c src/selo/hmac/hmac_sha256.c
    PYTHONDONTWRITEBYTECODE=1 python3 tests/avr/p256.py target/sims/selo-call "$out/p256-$size.elf" \
        "${options[@]}" "$@"
done
