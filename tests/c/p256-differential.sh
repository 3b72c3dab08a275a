#!/usr/bin/env bash
# Compares P-256 with OpenSSL's on random inputs (p256_differential.py), in words of 32 and of 8 bits.
#
# usage: tests/c/p256-differential.sh [--cases N]      (needs cc, python3 with cryptography)
set -euo pipefail
cd "$(dirname "$0")/../.."
out=out/c/differential
mkdir -p "$out"

# A Python of its own may lack the package that the system's has.
python=python3
python3 -c 'import cryptography' 2>/dev/null || python=/usr/bin/python3
for words in 1 0; do
    cc -std=c11 -O2 -shared -fPIC -DSELO_X25519_WORDS=$words -Isrc -o "$out/p256-$words.so" \
        src/selo/{p256,hmac_drbg,sha2,common}/*.c src/selo/hmac/hmac_sha256.c
    PYTHONDONTWRITEBYTECODE=1 "$python" tests/c/p256_differential.py "$out/p256-$words.so" "$@"
done
