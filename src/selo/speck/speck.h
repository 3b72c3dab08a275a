/*
 * What the three variants of Speck128 share, for all key sizes.
 *
 * `material` is what the key schedule carries from round to round
 * [SPECK2013, 4.2]: the round key in bytes 0 to 7, and after it the words l, one
 * for a 128-bit key, two for 192, three for 256. Step i of the schedule works on
 * l number i modulo their count and leaves the new word in its place, so that
 * nothing moves.
 *
 * An overlay of src/selo/native/ replaces a function where its SELO_NATIVE_ name
 * is 1: then the C is left out.
 */
#ifndef SELO_SPECK_H
#define SELO_SPECK_H

#include "../../selo.h"
#include "../native/native.h"

#ifndef SELO_NATIVE_SPECK_ENCRYPT_ROUNDS
#define SELO_NATIVE_SPECK_ENCRYPT_ROUNDS SELO_NATIVE_SPECK
#endif
#ifndef SELO_NATIVE_SPECK_DECRYPT_ROUNDS
#define SELO_NATIVE_SPECK_DECRYPT_ROUNDS SELO_NATIVE_SPECK
#endif
#ifndef SELO_NATIVE_SPECK_ENCRYPT_ON_THE_FLY
#define SELO_NATIVE_SPECK_ENCRYPT_ON_THE_FLY SELO_NATIVE_SPECK
#endif
#ifndef SELO_NATIVE_SPECK_DECRYPT_ON_THE_FLY
#define SELO_NATIVE_SPECK_DECRYPT_ON_THE_FLY SELO_NATIVE_SPECK
#endif
#ifndef SELO_NATIVE_SPECK_RUN_SCHEDULE
#define SELO_NATIVE_SPECK_RUN_SCHEDULE SELO_NATIVE_SPECK
#endif
#ifndef SELO_NATIVE_SPECK_EXPAND
#define SELO_NATIVE_SPECK_EXPAND SELO_NATIVE_SPECK
#endif

/* Rounds for a key of `words` 64-bit words (2, 3, 4): 32, 33, 34 [SPECK2013, table 3.1]. */
#define SPECK_ROUNDS(words) ((uint8_t)(30 + (words)))

/* A block under `rounds` round keys, which stand ready one after the other. */
void selo_speck_encrypt_rounds(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                               uint8_t rounds);
void selo_speck_decrypt_rounds(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                               uint8_t rounds);

/* One step of the schedule on the round key and word l: from the key of round i to that of i + 1. */
void selo_speck_schedule(uint8_t round_key[8], uint8_t l[8], uint8_t i);
/* And back, from the key of round i + 1 to that of i. */
void selo_speck_schedule_back(uint8_t round_key[8], uint8_t l[8], uint8_t i);

/* The whole schedule: the first material becomes the last. */
void selo_speck_run_schedule(uint8_t *material, uint8_t words);

/* All round keys. The first stands at its place, and the words l from SPECK_EXPAND_L on, where
 * the last round keys will be: the step that makes round key 31 is the last to use l number 0,
 * the next one, if there is one, is the last to use number 1, and so on. */
#define SPECK_EXPAND_L (8 * 31)
void selo_speck_expand(uint8_t *round_keys, uint8_t words);

/* A block with the schedule on the fly, forward from the key or backward from the last material. */
void selo_speck_encrypt_on_the_fly(const uint8_t *key, uint8_t out[16], const uint8_t in[16],
                                   uint8_t words);
void selo_speck_decrypt_on_the_fly(const uint8_t *last, uint8_t out[16], const uint8_t in[16],
                                   uint8_t words);

#endif
