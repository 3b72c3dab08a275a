/*
 * Encryption with the public key, and its padding.
 */
#include <string.h>

#include "generator.h"
#include "power.h"
#include "rsa_textbook.h"

void rsa_public_operation(uint8_t out[RSA_BYTES], const uint8_t block[RSA_BYTES])
{
    static const rsa_limb exponent[] = {
#if RSA_LIMB_BITS == 16
        RSA_EXPONENT & 0xffff, RSA_EXPONENT >> 16,
#else
        RSA_EXPONENT,
#endif
    };
    static rsa_limb number[RSA_LIMBS];

    rsa_from_bytes(number, block, RSA_LIMBS);
    rsa_power(number, number, exponent, sizeof exponent / sizeof exponent[0],
              rsa_public.n, RSA_LIMBS);
    rsa_to_bytes(out, number, RSA_LIMBS);
}

/* 00 02, at least eight bytes that are not 0, 00, the message [RFC8017, 7.2.1]. The bytes come from
 * the seeded generator: the format is right, but they give no security. */
enum rsa_status rsa_encrypt(uint8_t out[RSA_BYTES], const uint8_t *message, uint16_t size)
{
    if (size > RSA_MESSAGE_BYTES) {
        memset(out, 0, RSA_BYTES);
        return RSA_ERROR_SIZE;
    }
    memmove(out + RSA_BYTES - size, message, size);
    out[0] = 0;
    out[1] = 2;
    for (uint16_t i = 2; i < RSA_BYTES - size - 1; i++) {
        do {
            rsa_generator_fill(&out[i], 1);
        } while (out[i] == 0);
    }
    out[RSA_BYTES - size - 1] = 0;
    rsa_public_operation(out, out);
    return RSA_OK;
}
