/*
 * Scalar multiplication of the base point, for key generation.
 *
 *  SELO_X25519_SMALL  1 where flash is scarcer than time: the small kernels, where there
 *                     is assembly
 *  SELO_X25519_TABLE  1 for the table of multiples, 1.5 KB, and the code that uses it;
 *                     with 0 key generation runs the ladder. 0 where SMALL is 1, unless set
 */
#ifndef SELO_X25519_BASE_H
#define SELO_X25519_BASE_H

#include <stdint.h>

#include "../common/platform.h"
#include "../native/native.h"

#if SELO_NATIVE_X25519
#define selo_x25519_lookup selo_x25519_lookup_avr
#else
#define selo_x25519_lookup selo_x25519_lookup_bytes
#endif

/* out = X25519(scalar, 9) [RFC7748, 5]: the scalar is clamped. out may be scalar. */
void selo_x25519_base(uint8_t out[32], const uint8_t scalar[32]);

/* entry = entry `index`, 0 to 15, of the table; every byte of the table is read, in the
 * same order for each index. */
void selo_x25519_lookup_bytes(uint8_t entry[96], uint8_t index);
void selo_x25519_lookup_avr(uint8_t entry[96], uint8_t index);

extern const uint8_t selo_x25519_table[1536];

/* Wipes the stack below the caller, where the field functions kept their work. */
void selo_x25519_wipe_scratch(void);

#endif
