/* SUIT manifests [SUIT] that are signed by ECDSA on P-256. */
#include "../../selo_p256.h"
#include "suit.h"

enum selo_status selo_suit_open_p256(struct selo_suit_manifest *manifest, const uint8_t *envelope,
                                     size_t size, const uint8_t public_key[64])
{
    /* ES256 is -7, ESP256 -9. */
    const struct selo_suit_scheme scheme = {selo_p256_verify, 0x2826};

    return selo_suit_open(manifest, envelope, size, &scheme, public_key);
}
