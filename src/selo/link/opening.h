/*
 * The computations of the first part of a hybrid pairing [docs/protocol.md, hybrid pairing].
 * node_open.c decides when its frames are sent.
 */
#ifndef SELO_LINK_OPENING_H
#define SELO_LINK_OPENING_H

#include "../../selo.h"

#if SELO_LINK_HYBRID

/* Makes PAIR-OPEN in opening->frame, where the four bytes after the first hold the mark.
 * opening->secret holds 32 random bytes for the encapsulation. */
void selo_opening_start(struct selo_opening *opening, uint32_t id);

/* Returns 1 if a PAIR-PIECE answers opening->frame, else 0. */
uint8_t selo_opening_expects(const struct selo_opening *opening, const uint8_t *frame, uint8_t size);

/* Processes an expected PAIR-PIECE, and makes the next PAIR-STEP in opening->frame.
 * Returns: SELO_OK; SELO_ERROR_KEY if the key differs from its hash or is invalid, and the attempt has
 * failed. */
enum selo_status selo_opening_take(struct selo_opening *opening,
                                   struct selo_node_workspace *workspace, const uint8_t *frame,
                                   uint8_t size);

/* Returns 1 if nothing is left to exchange: opening->secret is the secret of ML-KEM. */
uint8_t selo_opening_is_complete(const struct selo_opening *opening);

#endif

#endif
