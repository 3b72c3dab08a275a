/*
 * The functions of selo_mlkem.h in pieces, for any number of ranks. The sponge is an argument of its
 * own, so that the state can be in two places: the node of the link has little memory in one place.
 */
#ifndef SELO_MLKEM_PIECES_H
#define SELO_MLKEM_PIECES_H

#include "../../selo_mlkem.h"

void selo_mlkem_pieces_start(struct selo_mlkem_encapsulation *state, struct selo_shake *sponge,
                             const uint8_t random[32]);

/* Starts with the first part of the ciphertext. The caller has set message (32 random bytes),
 * key_hash and rho in *state, which the peer has sent before its key. The key then passes once, and
 * its last piece fails if its hash is not key_hash. The last 32 bytes must be state->rho. */
void selo_mlkem_pieces_start_hashed(struct selo_mlkem_encapsulation *state,
                                    struct selo_shake *sponge);

enum selo_status selo_mlkem_pieces_key(struct selo_mlkem_encapsulation *state,
                                       struct selo_shake *sponge, const uint8_t *piece, size_t size,
                                       uint8_t ranks);
enum selo_status selo_mlkem_pieces_read(struct selo_mlkem_encapsulation *state,
                                        struct selo_shake *sponge, uint8_t *out, size_t size,
                                        uint8_t ranks);
enum selo_status selo_mlkem_pieces_finish(struct selo_mlkem_encapsulation *state,
                                          struct selo_shake *sponge, uint8_t secret[32]);

#endif
