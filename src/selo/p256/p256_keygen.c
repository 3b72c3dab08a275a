/* Key pairs of P-256. */
#include <string.h>

#include "p256.h"

enum selo_status selo_p256_keygen(uint8_t public_key[64], const uint8_t secret[32])
{
    struct selo_p256_work w;
    enum selo_status status = SELO_ERROR_KEY;

    memset(public_key, 0, 64);
    selo_p256_swap(w.signs, secret);
    if (selo_p256_is_scalar(w.signs)) {
        selo_p256_base(&w);
        selo_p256_encode(public_key, w.x);
        selo_p256_encode(public_key + 32, w.y);
        status = SELO_OK;
    }
    selo_wipe(&w, sizeof w);
    selo_p256_wipe_scratch();
    return status;
}
