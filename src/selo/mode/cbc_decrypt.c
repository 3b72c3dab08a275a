/* CBC decryption [SP800-38A, 6.2] and removal of the padding of [RFC5652, 6.3]. */
#include <string.h>

#include "../../selo_unauthenticated.h"
#include "../common/xor.h"
#include "fail.h"

/* 0xff if a < b, else 0, without a branch: a negative difference sets the upper byte. */
static uint8_t less(uint8_t a, uint8_t b)
{
    return (uint8_t)((uint16_t)((uint16_t)a - b) >> 8);
}

/* 0 if the last block ends in n bytes of value n, 1 <= n <= 16. Always reads the whole block. */
static uint8_t padding_errors(const uint8_t last_block[16])
{
    uint8_t size = last_block[15];
    uint8_t errors = (uint8_t)(less(size, 1) | less(16, size));

    for (uint8_t i = 0; i < 16; i++) {
        errors |= (uint8_t)(less(i, size) & (last_block[15 - i] ^ size));
    }
    return errors;
}

#if SELO_CIPHER_TWO && !SELO_WIDE
/* The part of the loop with two blocks at a time; returns the size of the rest. */
static size_t decrypt_two(struct selo_inverse_cipher cipher, uint8_t before[16], uint8_t **out,
                          const uint8_t **in, size_t size)
{
    uint8_t current[32], plain[32];
    const uint8_t *from = plain;

    while (size >= 32) {
        memcpy(current, *in, 32);
        cipher.decrypt_two(cipher.key, plain, current);
        from = plain;
        selo_xor(out, &from, before, 16);
        selo_xor(out, &from, current, 16);
        memcpy(before, current + 16, 16);
        *in += 32;
        size -= 32;
    }
    selo_wipe(plain, sizeof plain);
    return size;
}
#endif

enum selo_status selo_cbc_decrypt(struct selo_inverse_cipher cipher, uint8_t *out,
                                  size_t out_capacity, size_t *out_size, const uint8_t *in,
                                  size_t in_size)
{
    uint8_t *start = out;
    uint8_t before[16]; /* copies of the ciphertext, which out may overwrite */
    uint8_t current[16];
    size_t size, left;

    *out_size = 0;
    if (in_size < 32 || in_size % 16 != 0) {
        return selo_mode_fail(SELO_ERROR_ARGUMENT, out, out_capacity);
    }
    size = in_size - 16;
    if (out_capacity < size) {
        return selo_mode_fail(SELO_ERROR_SPACE, out, out_capacity);
    }

    for (uint8_t i = 0; i < 16; i++) {
        before[i] = *in++;
    }
    left = size;
#if SELO_CIPHER_TWO && !SELO_WIDE
    if (cipher.decrypt_two != NULL) {
        left = decrypt_two(cipher, before, &out, &in, left);
    }
#endif
    for (; left != 0; left -= 16) {
        for (uint8_t i = 0; i < 16; i++) {
            current[i] = *in++;
        }
        cipher.decrypt(cipher.key, out, current);
        for (uint8_t i = 0; i < 16; i++) {
            *out++ ^= before[i];
            before[i] = current[i];
        }
    }

    if (padding_errors(out - 16) != 0) {
        return selo_mode_fail(SELO_ERROR_PADDING, start, out_capacity);
    }
    *out_size = size - out[-1];
    return SELO_OK;
}
