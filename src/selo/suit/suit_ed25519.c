/* SUIT manifests [SUIT] that are signed by Ed25519. */
#include "../../selo_ed25519.h"
#include "suit.h"

enum selo_status selo_suit_open_ed25519(struct selo_suit_manifest *manifest, const uint8_t *envelope,
                                        size_t size, const uint8_t public_key[32])
{
    /* EdDSA is -8, Ed25519 -19. */
    const struct selo_suit_scheme scheme = {selo_ed25519_verify, 0x3227};

    return selo_suit_open(manifest, envelope, size, &scheme, public_key);
}
