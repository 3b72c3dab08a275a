/* CBC encryption [SP800-38A, 6.2] with PKCS#7 padding [RFC5652, 6.3] and a random IV. */
#include "../../selo_unauthenticated.h"
#include "fail.h"

enum selo_status selo_cbc_encrypt(struct selo_cipher cipher, selo_random_fn *random,
                                  void *random_source, uint8_t *out, size_t out_capacity,
                                  size_t *out_size, const uint8_t *in, size_t in_size)
{
    *out_size = 0;
    if (in_size > SIZE_MAX - 32) { /* SELO_CBC_SIZE would wrap */
        return selo_mode_fail(SELO_ERROR_ARGUMENT, out, out_capacity);
    }
    if (out_capacity < SELO_CBC_SIZE(in_size)) {
        return selo_mode_fail(SELO_ERROR_SPACE, out, out_capacity);
    }
    if (random(random_source, out, 16) != SELO_OK) {
        return selo_mode_fail(SELO_ERROR_RANDOM, out, out_capacity);
    }

    *out_size = SELO_CBC_SIZE(in_size);
    for (;;) {
        /* out points to the previous block: first the IV, then the last ciphertext block */
        uint8_t taken = (uint8_t)(in_size < 16 ? in_size : 16);
        uint8_t padding = (uint8_t)(16 - taken);

        for (uint8_t i = 0; i < 16; i++) {
            out[16 + i] = (uint8_t)(out[i] ^ (i < taken ? in[i] : padding));
        }
        out += 16;
        cipher.encrypt(cipher.key, out, out);
        if (padding != 0) {
            return SELO_OK;
        }
        in += 16;
        in_size -= 16;
    }
}
