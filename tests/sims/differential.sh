#!/usr/bin/env bash
# Compares random AVR programs on both chip runners and on QEMU (differential.py).
#
# usage: tests/sims/differential.sh [--programs N] [--seed N]
set -euo pipefail
cd "$(dirname "$0")/../.."
out=out/sims
mkdir -p "$out"
make -s -C lab/sims/simavr OUT="$PWD/$out"
[ -d lab/sims/avr8js/node_modules/avr8js ] || tools/npm-ci.sh lab/sims/avr8js
exec python3 tests/sims/differential.py --simavr "$out/selo-simavr" \
    --avr8js lab/sims/avr8js/selo-avr8js.mjs --qemu qemu-system-avr "$@"
