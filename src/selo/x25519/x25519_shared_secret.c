/*
 * The shared secret with a peer, and the refusal of peers that would make it
 * zero [RFC7748, 6.1].
 */
#include "../../selo.h"
#include "x25519_ladder.h"

enum selo_status selo_x25519_shared_secret(uint8_t shared[32], const uint8_t secret[32],
                                           const uint8_t peer_public_key[32])
{
    uint8_t any = 0;

    selo_x25519_ladder(shared, secret, peer_public_key);
    /* All bytes are looked at before the one decision; the output is zero already. */
    for (uint8_t i = 0; i < 32; i++) {
        any |= shared[i];
    }
    return any == 0 ? SELO_ERROR_KEY : SELO_OK;
}
