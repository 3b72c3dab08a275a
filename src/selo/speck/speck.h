/*
 * What the three variants of Speck128 share, for all key sizes.
 *
 * `material` is what the key schedule carries from round to round
 * [SPECK2013, 4.2]: the round key in bytes 0 to 7, and after it the words l, one
 * for a 128-bit key, two for 192, three for 256. Step i of the schedule works on
 * l number i modulo their count and leaves the new word in its place, so that
 * nothing moves.
 *
 * native/api.h declares the functions that kernels may replace.
 */
#ifndef SELO_SPECK_H
#define SELO_SPECK_H

#include "../../selo_speck.h"
#include "../native/api.h"

/* Rounds for a key of `words` 64-bit words (2, 3, 4): 32, 33, 34 [SPECK2013, table 3.1]. */
#define SPECK_ROUNDS(words) ((uint8_t)(30 + (words)))

/* One step of the schedule on the round key and word l: from the key of round i to that of i + 1. */
void selo_speck_schedule(uint8_t round_key[8], uint8_t l[8], uint8_t i);
/* And back, from the key of round i + 1 to that of i. */
void selo_speck_schedule_back(uint8_t round_key[8], uint8_t l[8], uint8_t i);

/* selo_speck_expand finds the words l here, where the last round keys will be: the step that
 * makes round key 31 is the last to use l number 0, the next one, if there is one, is the last
 * to use number 1, and so on. */
#define SPECK_EXPAND_L (8 * 31)

#endif
