/*
 * Internal declarations shared by the three variants of Speck128, for all key sizes.
 *
 * `material` is the state of the key schedule between rounds [SPECK2013, 4.2]. Bytes 0 to 7 are the
 * round key. The words l follow it: one for a 128-bit key, two for 192, three for 256. Step i of
 * the schedule uses word l number i modulo their count and writes the new word to the same place,
 * so no word moves.
 *
 * native/api.h declares the functions that kernels may replace.
 */
#ifndef SELO_SPECK_H
#define SELO_SPECK_H

#include "../../selo_speck.h"
#include "../native/api.h"

/* Rounds for a key of `words` 64-bit words (2, 3, 4): 32, 33, 34 [SPECK2013, table 3.1]. */
#define SPECK_ROUNDS(words) ((uint8_t)(30 + (words)))

/* One step of the schedule on the round key and word l: makes the key of round i + 1 from that of
 * round i. */
void selo_speck_schedule(uint8_t round_key[8], uint8_t l[8], uint8_t i);
/* The reverse: makes the key of round i from that of round i + 1. */
void selo_speck_schedule_back(uint8_t round_key[8], uint8_t l[8], uint8_t i);

/* Place of the words l for selo_speck_expand, where the last round keys will be. The step that
 * makes round key 31 is the last to use word l number 0, the next step, if there is one, is the
 * last to use number 1, and so on. */
#define SPECK_EXPAND_L (8 * 31)

#endif
