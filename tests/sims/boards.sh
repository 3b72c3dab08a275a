#!/usr/bin/env bash
# Runs a small sample on every board without a step of its own: official vectors and constant time
# of a block cipher, an authenticated cipher and a key exchange, and of 64-bit sums and products,
# which a compiler may implement with branches (SELO_WIDE_SUMS, SELO_WIDE_PRODUCTS).
#
# usage: tests/sims/boards.sh [SELO]
# environment: BUDGET  millions of cycles, or of instructions, a unit (default 1)
#              SELO_TEST_ALL  1: all boards, and as many secrets as the lab takes by itself
set -euo pipefail
cd "$(dirname "$0")/../.."
selo=${1:-${SELO_BUILT:-target/release}/selo}
rows=$(mktemp -d)
trap 'rm -rf "$rows"' EXIT
passed=0 failed=0
declare -A seen=()
fewer=(--secrets 100)
[ -z "${SELO_TEST_ALL:-}" ] || fewer=()
for file in lab/boards/*.toml; do
    board=$(basename "$file" .toml)
    case $board in native | uno) continue ;; esac
    # Skip boards that need a cable, and simulated cores (tests/sims/rtl.sh).
    grep -qE '^runner = "(serial|rtl)"' "$file" && continue
    # In a sample, the first board stands for all with the same kernels: those of the Cortex-M0+ are the
    # M0's, and those of the M33 are the M4's.
    code=$(grep -E '^(port|flags) = ' "$file" | sed 's/cortex-m0plus/cortex-m0/; s/cortex-m33/cortex-m4/' | sort -u)
    [ -n "${SELO_TEST_ALL:-}" ] || [ -z "${seen[$code]:-}" ] || continue
    seen[$code]=yes
    if "$selo" lab check --board "$board" --library selo --variant fast --budget "${BUDGET:-1}" "${fewer[@]}" \
        --algorithm aes-128,ascon-aead128,x25519,chacha20-poly1305,sha-512,speck128/128 \
        --out "$rows/$board" >"$rows/said" 2>&1; then
        passed=$((passed + 1))
        echo "$board: $(tail -n 1 "$rows/said")"
    else
        failed=$((failed + 1))
        cat "$rows/said"
    fi
done
echo "boards: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
