/*
 * The computations of the messages of a pairing [docs/protocol.md, pair]. node_pair.c decides when
 * they are sent.
 */
#ifndef SELO_LINK_PAIRING_H
#define SELO_LINK_PAIRING_H

#include "../../selo.h"

/* Makes PAIR-COMMIT and PAIR-REVEAL. pairing->key holds the ephemeral secret, and the last 16
 * bytes of pairing->reveal hold the nonce r. In a hybrid pairing, pairing->key also holds the secret of
 * ML-KEM, and h is in the place of the commitment. */
void selo_pairing_start(struct selo_pairing *pairing, uint32_t id);

/* Processes a PAIR-KEY. Computes the digits, the device key in pairing->key, and the result key.
 * SELO_ERROR_KEY: the shared secret is zero, and the attempt has failed. */
enum selo_status selo_pairing_derive(struct selo_pairing *pairing, const uint8_t frame[37]);

/* Returns 1 if the tag of a PAIR-RESULT verifies, else 0. Alters the frame. */
uint8_t selo_pairing_verify(const struct selo_pairing *pairing, uint8_t frame[21]);

#endif
