/* Key pairs of P-256. */
#include <string.h>

#include "p256.h"

enum selo_status selo_p256_keygen(uint8_t public_key[64], const uint8_t secret[32])
{
    struct selo_p256_affine point;
    uint8_t scalar[32];
    enum selo_status status = SELO_ERROR_KEY;

    memset(public_key, 0, 64);
    selo_p256_swap(scalar, secret);
    if (selo_p256_is_scalar(scalar)) {
        selo_p256_base(&point, scalar);
        selo_p256_encode(public_key, point.x);
        selo_p256_encode(public_key + 32, point.y);
        status = SELO_OK;
    }
    selo_wipe(scalar, sizeof scalar);
    return status;
}
