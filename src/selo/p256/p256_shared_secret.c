/* ECDH on P-256 [SP800-56A, 5.7.1.2]. */
#include <string.h>

#include "p256.h"

/* t's entry times the scalar, which has an affine x. Apart, so that the stack of the check is gone. */
static SELO_STACK_APART void multiply(uint8_t shared[32], struct selo_p256_times *t,
                                      const uint8_t scalar[32])
{
    selo_p256_times(t, scalar);
    selo_p256_to_affine(&t->w);
    selo_p256_encode(shared, t->w.x);
}

enum selo_status selo_p256_shared_secret(uint8_t shared[32], const uint8_t secret[32],
                                         const uint8_t peer_public_key[64])
{
    struct selo_p256_times t;
    uint8_t scalar[32];
    enum selo_status status = SELO_ERROR_KEY;

    memset(shared, 0, 32);
    selo_p256_swap(scalar, secret);
    if (selo_p256_is_scalar(scalar)) {
        status = selo_p256_decode(&t.w.entry, peer_public_key, t.w.scratch);
        if (status == SELO_OK) {
            multiply(shared, &t, scalar);
        }
    }
    selo_wipe(scalar, sizeof scalar);
    selo_wipe(&t, sizeof t);
    selo_p256_wipe_scratch();
    return status;
}
