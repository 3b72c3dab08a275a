/* The functions of selo_mlkem.h in pieces, for any number of ranks. */
#ifndef SELO_MLKEM_PIECES_H
#define SELO_MLKEM_PIECES_H

#include "../../selo_mlkem.h"

void selo_mlkem_pieces_start(struct selo_mlkem_encapsulation *state, const uint8_t random[32]);
enum selo_status selo_mlkem_pieces_key(struct selo_mlkem_encapsulation *state, const uint8_t *piece,
                                       size_t size, uint8_t ranks);
enum selo_status selo_mlkem_pieces_read(struct selo_mlkem_encapsulation *state, uint8_t *out,
                                        size_t size, uint8_t ranks);
enum selo_status selo_mlkem_pieces_finish(struct selo_mlkem_encapsulation *state,
                                          uint8_t secret[32]);

#endif
