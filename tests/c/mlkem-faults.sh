#!/usr/bin/env bash
# Plants faults in copies of ML-KEM's sources, one at a time. The vectors (test_mlkem.c) must catch each,
# or the arithmetic's definitions (test_mlkem_arithmetic.c) where a decryption tolerates it.
#
# usage: tests/c/mlkem-faults.sh      (needs cc)
set -uo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

passed=0 failed=0

build() { # FOLDER TEST
    (cd "$1" && cc -std=c11 -O1 -Isrc -I"$OLDPWD/tests/c" -DVECTORS="\"$OLDPWD/lab/vectors\"" -o "$2" \
        "$OLDPWD/tests/c/$2.c" src/selo/{mlkem,sha3,common}/*.c)
}

# fault FILE EXPRESSION WHAT [TEST]: sed makes the fault.
fault() {
    local test=${4:-test_mlkem}
    rm -rf "$copy"/*
    cp -r src "$copy/src"
    sed -i "$2" "$copy/src/selo/mlkem/$1"
    if cmp -s "src/selo/mlkem/$1" "$copy/src/selo/mlkem/$1"; then
        echo "FAILED: no such line in $1: $3" >&2
    elif ! build "$copy" "$test"; then
        echo "FAILED: does not compile: $3" >&2
    elif "$copy/$test" >/dev/null 2>&1; then
        echo "FAILED: not caught: $3" >&2
    else
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
}

fault mlkem_zetas.c 's/1493/1494/' "another factor of the transform"
fault mlkem_inverse_ntt.c 's/SELO_MLKEM_SCALE/SELO_MLKEM_TO_MONTGOMERY/' "another scale"
fault mlkem_multiply_add.c 's/SELO_MLKEM_Q - zeta/zeta/' "the second factor of a quad without its sign"
fault mlkem_decapsulate.c 's/same & selo_equal.*/same);/' "no comparison in the decapsulation"
fault mlkem_decapsulate.c 's/encrypts_to(ciphertext, &work, y, public_key, seeds + 32, message, ranks)/1/' "no second encryption"
fault mlkem_decapsulate.c 's/selo_shake_update(&work.sponge, z, 32)/(void)z/' "a rejection without its secret"
fault mlkem_code.c '/estimate \* (unsigned)/!s/((unsigned)x << 10) + SELO_MLKEM_Q \/ 2/((unsigned)x << 10)/' "u rounded down"
fault mlkem_code.c 's/(x << 4) + SELO_MLKEM_Q \/ 2/(x << 4)/' "v rounded down"
fault mlkem_code.c 's/SELO_MLKEM_Q + 512/SELO_MLKEM_Q/' "u decompressed without rounding" test_mlkem_arithmetic
fault mlkem_encrypt.c 's/(SELO_MLKEM_Q + 1) \/ 2/SELO_MLKEM_Q \/ 2 - 100/' "another message"
fault mlkem_sample.c 's/candidate >= SELO_MLKEM_Q/candidate > SELO_MLKEM_Q/' "a candidate that is q"
fault mlkem.h 's/(ranks) == 2 ? 3 : 2/2/' "the noise of another size"
fault mlkem_encapsulate.c 's/!selo_mlkem_in_range(.*))/0)/' "no check of the key's range"
fault mlkem_pieces.c 's/!selo_mlkem_in_range(.*))/0)/' "the same in pieces"
fault mlkem_pieces.c 's/!selo_equal(hash, state->key_hash, 32)/0/' "a second pass with another key"
fault mlkem_pieces.c 's/selo_wipe(state, sizeof \*state)/(void)state/' "a state that is not wiped"
echo "faults of ML-KEM: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
