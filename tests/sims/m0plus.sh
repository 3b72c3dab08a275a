#!/usr/bin/env bash
# Compares the Cortex-M0+ model with rp2040js. The kernels' tests run under QEMU, whose counts by class
# the model turns into cycles, and on the core of rp2040js, which adds the time of each instruction that
# it executes. Both must print the same results, cycles, instructions and stack of every kernel.
#
# usage: tests/sims/m0plus.sh [WHAT...]   (default: a kernel of each kind)
# environment: SELO_KERNEL_CASES  the number of inputs of most functions (default: 10)
set -euo pipefail
cd "$(dirname "$0")/../.."
out=out/m0plus
[ $# -gt 0 ] || set -- aes ascon blake2s chacha20 ghash keccak mlkem poly1305 sha256 sha512 x25519
tools/npm-ci.sh lab/sims/rp2040js
SELO_ARM_CORES=m0plus SELO_ARM_OUT=$out SELO_KERNEL_C='' SELO_KERNEL_CASES=${SELO_KERNEL_CASES:-10} tests/arm/run.sh "$@"

passed=0 failed=0
for what; do
    image=$out/$what-m0plus-kernels
    python3 tests/arm/emulate.py cortex-m0plus - "$image.elf" node lab/sims/rp2040js/selo-rp2040js.mjs >"$image.rp2040js"
    # Without a figure of a kernel nothing was compared.
    if diff "$image.txt" "$image.rp2040js" && grep -q '^! .*cycles=[1-9]' "$image.rp2040js"; then
        passed=$((passed + $(grep -c '^!' "$image.rp2040js")))
    else
        echo "FAILED  $what (left: QEMU and the model; right: rp2040js)"
        failed=$((failed + 1))
    fi
done
echo "kernels on rp2040js: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
