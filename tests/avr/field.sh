#!/usr/bin/env bash
# Compares the assembly of src/selo/native/avr/ on the simulated chip with Python's integers,
# function by function.
#
# usage: tests/avr/field.sh [--cases N]      (needs cc, avr-gcc, python3, simavr)
set -euo pipefail
cd "$(dirname "$0")/../.."
out=out/avr
mkdir -p "$out"

make --no-print-directory -s -C lab/sims/call OUT="$PWD/target/sims"
for size in fast small smaller; do # smaller: the small kernels again, the smallest table
    flags=() options=()
    case $size in
    small) flags=(-DSELO_X25519_SMALL=1 -DSELO_X25519_TABLE=1 -DSELO_X25519_TEETH=4) options=(--small --teeth 4) ;;
    smaller) flags=(-DSELO_X25519_SMALL=1 -DSELO_X25519_TABLE=1 -DSELO_X25519_TEETH=3) options=(--teeth 3 --kernel _x25519_) ;;
    esac
    echo "-- $size"
    avr-gcc -mmcu=atmega328p -O2 -mstrict-X -Wall -Wextra -Werror -Isrc "${flags[@]}" -o "$out/$size.elf" \
        tests/avr/image.c src/selo/native/avr/x25519_*.S src/selo/x25519/*.c src/selo/common/*.c
    PYTHONDONTWRITEBYTECODE=1 python3 tests/avr/field.py target/sims/selo-call "$out/$size.elf" \
        "${options[@]}" "$@"
done
