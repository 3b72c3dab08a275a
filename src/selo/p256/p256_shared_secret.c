/* ECDH on P-256 [SP800-56A, 5.7.1.2]. */
#include <string.h>

#include "p256.h"

enum selo_status selo_p256_shared_secret(uint8_t shared[32], const uint8_t secret[32],
                                         const uint8_t peer_public_key[64])
{
    struct selo_p256_times t;
    enum selo_status status = SELO_ERROR_KEY;

    memset(shared, 0, 32);
    selo_p256_swap(t.w.signs, secret);
    if (selo_p256_is_scalar(t.w.signs)) {
        status = selo_p256_decode(&t.w.entry, peer_public_key, t.w.scratch);
        if (status == SELO_OK) {
            selo_p256_times(&t);
            selo_p256_to_affine(&t.w);
            selo_p256_encode(shared, t.w.x);
        }
    }
    selo_wipe(&t, sizeof t);
    selo_p256_wipe_scratch();
    return status;
}
