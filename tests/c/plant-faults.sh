#!/usr/bin/env bash
# Plants faults in copies of the sources of ML-KEM, Ed25519, P-256, HMAC_DRBG, SIV and SUIT, one at a time.
# The vectors (test_mlkem.c, test_ed25519.c, test_p256.c, test_hmac_drbg.c, test_siv.c, test_suit.c) must catch
# each, or the arithmetic's definitions (test_mlkem_arithmetic.c) where a decryption tolerates it.
# The code for words is what this machine compiles; the last faults are in that for 8-bit chips.
#
# usage: tests/c/plant-faults.sh      (needs cc)
# environment: SELO_TEST_ALL  1: all faults; otherwise every sixth is compiled and run
set -uo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

passed=0 failed=0 planted=0

flags=
compile() { cc -std=c11 $flags -O1 -Isrc -Itests/c -DVECTORS="\"$PWD/lab/vectors\"" -c "$@"; }

# Once: the sources, the tests and an archive of the sources as they are.
cp -r src "$copy/src"
whole() {
    local source test
    rm -rf "$copy/whole" "$copy/fault" "$copy"/test_*.o "$copy/whole.a"
    mkdir "$copy/whole" "$copy/fault"
    for source in src/selo/{mlkem,ed25519,p256,hmac_drbg,suit,mode,aes,x25519,sha2,sha3,hmac,common}/*.c \
        tests/c/test_{mlkem,mlkem_arithmetic,ed25519,p256,hmac_drbg,siv,suit}.c; do
        compile -o "$copy/whole/$(basename "$source" .c).o" "$source" || exit 1
    done
    mv "$copy"/whole/test_*.o "$copy"
    ar rcs "$copy/whole.a" "$copy"/whole/*.o
    for test in test_mlkem test_mlkem_arithmetic test_ed25519 test_p256 test_hmac_drbg test_siv test_suit; do # a fault proves nothing if they fail without it
        cc -o "$copy/test" "$copy/$test.o" "$copy/whole.a" && "$copy/test" >/dev/null || exit 1
    done
}
whole

# A fault in a header is in all files of its folder.
build() { # FILE TEST
    local source sources=("$copy/src/selo/$1")
    [ "${1%.h}" = "$1" ] || sources=("$copy/src/selo/${1%/*}"/*.c)
    rm -f "$copy"/fault/*
    for source in "${sources[@]}"; do
        compile -o "$copy/fault/$(basename "$source" .c).o" "$source" || return 1
    done
    cc -o "$copy/test" "$copy/$2.o" "$copy"/fault/*.o "$copy/whole.a"
}

# fault FILE EXPRESSION WHAT [TEST]: sed makes the fault.
fault() {
    local file=$copy/src/selo/$1
    sed -i "$2" "$file"
    if cmp -s "src/selo/$1" "$file"; then
        echo "FAILED: no such line in $1: $3" >&2
        failed=$((failed + 1))
        return
    fi
    planted=$((planted + 1))
    if [ "${SELO_TEST_ALL:-0}" != 1 ] && [ $((planted % 6)) != 1 ]; then
        cp "src/selo/$1" "$file"
        return
    fi
    if ! build "$1" "${4:-test_mlkem}"; then
        echo "FAILED: does not compile: $3" >&2
        failed=$((failed + 1))
    elif "$copy/test" >/dev/null 2>&1; then
        echo "FAILED: not caught: $3" >&2
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
    cp "src/selo/$1" "$file"
}

fault mlkem/mlkem_zeta_words.c 's/2230699446/2230699447/' "another factor of the transform" test_mlkem_arithmetic
fault mlkem/mlkem_words.h 's/660565712u/661855879u/' "another scale"
fault mlkem/mlkem_words.h 's/+ 8 \* 3329) >> 16/) >> 16/' "a product rounded without its offset"
fault mlkem/mlkem_words.h 's/+ 13530u//' "q for 0 in the packed form"
fault mlkem/mlkem_inverse_ntt_words.c 's/c1 = selo_mlkem_times(c1, shorten);//' "a sum that is neither shortened nor scaled"
fault mlkem/mlkem_multiply_words.c 's/turned = -turned/(void)0/' "the second factor of a quad without its sign"
fault mlkem/mlkem_code_words.c 's/(fraction + (1u << (31 - bits)))/fraction/' "a compression that rounds down"
fault mlkem/mlkem_code_words.c 's/ + (uint32_t)(x >> 1)//' "a fraction that is not exact" test_mlkem_arithmetic
fault mlkem/mlkem_code_words.c 's/SELO_MLKEM_Q + 512/SELO_MLKEM_Q/' "u decompressed without rounding" test_mlkem_arithmetic
fault mlkem/mlkem_sample_words.c 's/(two \& 4095) - SELO_MLKEM_Q)/(two \& 4095) - SELO_MLKEM_Q - 1)/' "a candidate that is q"
fault mlkem/mlkem_sample_words.c 's/drawn.filled &= 3/drawn.filled = 0/' "coefficients that are lost between two pieces of the stream"
fault mlkem/mlkem_decapsulate.c 's/same & selo_equal.*/same);/' "no comparison in the decapsulation"
fault mlkem/mlkem_decapsulate.c 's/encrypts_to(ciphertext, &work, y, public_key, seeds + 32, message, ranks)/1/' "no second encryption"
fault mlkem/mlkem_decapsulate.c 's/selo_shake_update(&work.sponge, z, 32)/(void)z/' "a rejection without its secret"
fault mlkem/mlkem_encrypt.c 's/(SELO_MLKEM_Q + 1) \/ 2/SELO_MLKEM_Q \/ 2 - 100/' "another message"
fault mlkem/mlkem.h 's/(ranks) == 2 ? 3 : 2/2/' "the noise of another size"
fault mlkem/mlkem_encapsulate.c 's/!selo_mlkem_in_range(.*))/0)/' "no check of the key's range"
fault mlkem/mlkem_code_wide.c 's/40318/40000/' "u of ML-KEM-1024 compressed by another factor"
fault mlkem/mlkem_code_wide.c 's/, 630)/, 610)/' "its v compressed by another factor"
fault mlkem/mlkem_code_wide.c 's/Q + 16) >> 5/Q + 16) >> 6/' "its v decompressed by another factor"
fault mlkem/mlkem_pieces.c 's/!selo_mlkem_in_range(.*))/0)/' "the same in pieces"
fault mlkem/mlkem_pieces.c 's/!selo_equal(hash, state->key_hash, 32)/0/' "a second pass with another key"
fault mlkem/mlkem_pieces.c 's/selo_wipe(state, sizeof \*state)/(void)state/' "a state that is not wiped"
manifest() { fault "suit/$1" "$2" "$3" test_suit; }
manifest suit.c 's/!is_of(signed_digest, \&as_hashed)/0 \&\& is_of == 0/' "a manifest that is not the signed one"
manifest suit.c 's/status = scheme->verify(.*/status = SELO_OK; (void)public_key;/' "a signature that is not verified"
manifest suit.c 's/if (value <= \*last) {/if (0) {/' "a key of a map that stands twice"
manifest suit.c 's/\*has_size & 2) {/0) {/' "a digest that is set twice"
manifest suit.c 's/ || tried == SELO_SUIT_SIGNATURES//' "any number of signatures"
manifest suit.c 's/in.bad || in.left > 0 || is_bad || has != 7/in.bad || is_bad || has != 7/' "bytes after the manifest"
manifest image.c 's/selo_equal(digest, image->digest, sizeof digest)/1/' "an image of another content"
manifest image.c 's/image->state == FITS && //' "an image that was too long in between"
signature() { fault "ed25519/$1" "$2" "$3" test_ed25519; }
signature ed25519_verify.c 's/!selo_ed25519_is_scalar(signature + 32)/0/' "a malleable S"
signature ed25519_equation.c 's/!selo_equal(c->x, c->y, 32)/0/' "a coordinate that is not canonical"
signature ed25519_equation.c 's/is_zero(c->t) && sign/0/' "a zero with a sign"
signature ed25519_equation.c 's/ || is_of_small_order(&e.c)//' "a key of small order"
signature ed25519_equation.c 's/is_zero(e.c.x) & is_zero(e.c.y)/is_zero(e.c.x)/' "half of the comparison"
signature ed25519_halve.c 's/ && (small->factor\[0\] & 1)//' "an even factor"
signature ed25519_halve.c 's/return turn;/return 0;/' "the factor's sign"
signature ed25519_scalar.c 's/0xd0, 0x3e/0xd1, 0x3e/' "another order"
signature ed25519_sign.c 's/ & 127) | 64/ \& 127)/' "a scalar that is not clamped"
signature ed25519_base.c 's/c->x\[0\] << 7/0/' "an encoding without the sign"
curve() { fault "p256/$1" "$2" "$3" test_p256; }
curve p256_field_multiply.c 's/subtract_if(high, (word_t)(sum - 1));/(void)subtract_if;/' "a dropped carry of the reduction"
curve p256_field_multiply.c 's/carry = (word_t)(sum >> BITS);/carry = (word_t)(sum >> BITS) \& ~(word_t)(j == 6);/' "a dropped carry of the product"
curve p256_field_add_times.c 's/(int8_t)(q + (int8_t)over - (int8_t)under)/q/' "a sum of 2^256 and more"
curve p256_encode.c 's/!selo_equal(scratch, coordinate, 32)/0/' "a coordinate that is not below p"
curve p256_encode.c 's/selo_p256_is_zero(left) ? SELO_OK : SELO_ERROR_KEY/SELO_OK/' "a point that is not on the curve"
curve p256_shared_secret.c 's/if (status == SELO_OK)/if (status != SELO_ERROR_SPACE)/' "a shared secret with any point"
curve p256_shared_secret.c 's/selo_p256_is_scalar(t.w.signs)/1/' "a secret of 0 or n"
curve p256_keygen.c 's/selo_p256_is_scalar(w.signs)/1/' "a key pair of 0 or n"
curve p256_verify.c 's/!selo_p256_is_scalar(u2) || //' "an r of 0 or n"
curve p256_verify.c 's/ || !selo_p256_is_scalar(s)//' "an s of 0 or n"
curve p256_verify.c 's/ || (selo_p256_scalar_next(r) \&\& has_x(w, r))//' "an x above n"
curve p256_verify.c 's/if (!selo_p256_is_zero(w->b))/if (0)/' "opposite points taken for equal ones"
curve p256_verify.c 's/        selo_p256_double(w);/        (void)selo_p256_double;/' "equal points that are not doubled"
curve p256_times.c 's/- selo_p256_is_zero(w->z)/- (selo_p256_is_zero(w->z) \& 0u)/' "the scalar n - 2"
curve p256_point.c 's/i == 12 || i == 24/i == 12/' "another opposite point"
curve p256_sign.c 's/selo_hmac_drbg_next(&g);/(void)g;/' "another nonce"
generator() { fault "hmac_drbg/$1" "$2" "$3" test_hmac_drbg; }
generator hmac_drbg_update.c 's/mix(state, 1, data, size)/mix(state, 2, data, size)/' "another mark"
generator hmac_drbg_update.c 's/sizeof state->key);$/31);/' "half of a clear"
generator hmac_drbg.c 's/    selo_hmac_drbg_update(state, more, more_size);\r\?$/    (void)more;/' "no update after an output"
generator hmac_drbg.c 's/size > SELO_HMAC_DRBG_MOST || //' "a request that is too long"
generator hmac_drbg.c 's/    state->left--;//' "requests without end"
generator hmac_drbg.c 's/size < SELO_HMAC_DRBG_SEED/size < 16/' "a seed that is too short"
curve p256_sign.c 's/    selo_p256_scalar_canonical(z);//' "a digest above n"
curve p256_invert.c 's/ROUNDS = 85/ROUNDS = 70/' "too few division steps"
siv() { fault "mode/$1" "$2" "$3" test_siv; }
siv siv.c 's/selo_equal(own, iv, 16)/selo_equal(own, iv, 15)/' "a byte of the tag"
siv siv.c 's/    counter\[8\] &= 0x7f;//' "a counter with all bits"
siv siv.c 's/size >= 16/size > 16/' "a message of one block"
siv siv.c 's/        selo_cmac_twice(sum);$/        (void)sum;/' "parts whose order does not count"
siv siv.c 's/status != SELO_OK \&\& size != 0/0/' "an output that stays after a failure"

flags="-DSELO_BYTEWISE=1 -DSELO_X25519_WORDS=0 -DSELO_X25519_HALVES=1"
whole
fault mlkem/mlkem_zetas.c 's/1493/1494/' "another factor of the transform"
fault mlkem/mlkem_inverse_ntt.c 's/SELO_MLKEM_SCALE/SELO_MLKEM_TO_MONTGOMERY/' "another scale"
fault mlkem/mlkem_multiply_add.c 's/SELO_MLKEM_Q - zeta/zeta/' "the second factor of a quad without its sign"
fault mlkem/mlkem_code.c '/estimate \* (unsigned)/!s/((unsigned)x << 10) + SELO_MLKEM_Q \/ 2/((unsigned)x << 10)/' "u rounded down"
fault mlkem/mlkem_code.c 's/(x << 4) + SELO_MLKEM_Q \/ 2/(x << 4)/' "v rounded down"
fault mlkem/mlkem_code.c 's/SELO_MLKEM_Q + 512/SELO_MLKEM_Q/' "u decompressed without rounding" test_mlkem_arithmetic
fault mlkem/mlkem_sample.c 's/candidate >= SELO_MLKEM_Q/candidate > SELO_MLKEM_Q/' "a candidate that is q"
echo "faults: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
