/*
 * The messages of a pairing, as computations; when they are sent is node_pair.c's
 * [docs/protocol.md, pair].
 */
#ifndef SELO_LINK_PAIRING_H
#define SELO_LINK_PAIRING_H

#include "../../selo.h"

/* Makes PAIR-COMMIT and PAIR-REVEAL. pairing->key holds the ephemeral secret, and the last 16
 * bytes of pairing->reveal r. */
void selo_pairing_start(struct selo_pairing *pairing, uint32_t id);

/* Takes a PAIR-KEY: the digits, the device key in pairing->key, the result key.
 * SELO_ERROR_KEY: the shared secret is zero, and the attempt has ended. */
enum selo_status selo_pairing_derive(struct selo_pairing *pairing, const uint8_t frame[37]);

/* Whether the tag of a PAIR-RESULT is right. Alters the frame. */
uint8_t selo_pairing_verify(const struct selo_pairing *pairing, uint8_t frame[21]);

#endif
