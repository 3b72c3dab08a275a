/* ECB: every block alone [SP800-38A, 6.1]. */
#include "../../selo_unauthenticated.h"
#include "fail.h"

enum selo_status selo_ecb_encrypt(struct selo_cipher cipher, uint8_t *out, const uint8_t *in,
                                  size_t size)
{
    if (size % 16 != 0) {
        return selo_mode_fail(SELO_ERROR_ARGUMENT, out, size);
    }
    for (; size != 0; size -= 16) {
        cipher.encrypt(cipher.key, out, in);
        out += 16;
        in += 16;
    }
    return SELO_OK;
}
