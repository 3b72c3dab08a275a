/* P256-Cortex-M4's ECDH in the lab. */
#include "words.h"

static int lib_shared(uint8_t *shared, const uint8_t *secret, const uint8_t *peer)
{
    number own, x, y;
    number_read(own, secret);
    number_read(x, peer);
    number_read(y, peer + NUMBER_BYTES);
    return !p256_ecdh_calc_shared_secret(shared, own, x, y);
}

#include "glue_dh.h"
