/*
 * Decryption by the Chinese remainder theorem [RFC8017, 5.1.2], and the removal
 * of the padding.
 */
#include <string.h>

#include "power.h"
#include "rsa_textbook.h"

/* block = block^d mod n, for block < n. */
static void private_operation(rsa_limb block[RSA_LIMBS])
{
    static rsa_limb m1[RSA_HALF_LIMBS], m2[RSA_HALF_LIMBS], product[RSA_LIMBS];
    const struct rsa_private_key *const key = &rsa_private;

    rsa_modulo(m1, block, RSA_LIMBS, key->p, RSA_HALF_LIMBS);
    rsa_power(m1, m1, key->dp, RSA_HALF_LIMBS, key->p, RSA_HALF_LIMBS);
    rsa_modulo(m2, block, RSA_LIMBS, key->q, RSA_HALF_LIMBS);
    rsa_power(m2, m2, key->dq, RSA_HALF_LIMBS, key->q, RSA_HALF_LIMBS);

    /* h = (m1 - m2) / q mod p, where m2 < q < p; then m = m2 + h q. */
    if (rsa_subtract(m1, m1, m2, RSA_HALF_LIMBS) != 0) {
        rsa_add(m1, m1, key->p, RSA_HALF_LIMBS);
    }
    rsa_multiply(product, m1, key->q_inverse, RSA_HALF_LIMBS);
    rsa_modulo(m1, product, RSA_LIMBS, key->p, RSA_HALF_LIMBS);
    rsa_multiply(product, m1, key->q, RSA_HALF_LIMBS);
    memset(block, 0, RSA_LIMBS * sizeof *block);
    memcpy(block, m2, sizeof m2);
    rsa_add(block, block, product, RSA_LIMBS);
}

/* Returns the index of the message in a padded block, or 0 if the padding is wrong. */
static uint16_t message_start(const uint8_t block[RSA_BYTES])
{
    if (block[0] != 0 || block[1] != 2) {
        return 0;
    }
    uint16_t i = 2;
    while (i < RSA_BYTES && block[i] != 0) {
        i++;
    }
    /* The zero must come after at least eight bytes. */
    return i < RSA_BYTES && i >= 2 + 8 ? (uint16_t)(i + 1) : 0;
}

enum rsa_status rsa_decrypt(uint8_t out[RSA_BYTES], uint16_t *size, const uint8_t in[RSA_BYTES])
{
    static rsa_limb number[RSA_LIMBS];
    uint16_t start = 0;

    rsa_from_bytes(number, in, RSA_LIMBS);
    if (rsa_compare(number, rsa_public.n, RSA_LIMBS) < 0) {
        private_operation(number);
        rsa_to_bytes(out, number, RSA_LIMBS);
        start = message_start(out);
    }
    if (start == 0) {
        memset(out, 0, RSA_BYTES);
        *size = 0;
        return RSA_ERROR_PADDING;
    }
    *size = (uint16_t)(RSA_BYTES - start);
    memmove(out, out + start, *size);
    memset(out + *size, 0, start);
    return RSA_OK;
}
