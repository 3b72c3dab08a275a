/*
 * Scalar multiplication of the base point, for key generation.
 *
 *  SELO_X25519_SMALL  1 where flash is scarcer than time: the small kernels, where there
 *                     is assembly
 *  SELO_X25519_TABLE  1 for the table of multiples and the code that uses it; with 0 key
 *                     generation runs the ladder. 0 where SMALL is 1, unless set
 *  SELO_X25519_TEETH  5, 4 or 3: 16, 8 or 4 entries of the table, 96 bytes each, for 51, 64
 *                     or 85 columns of work
 */
#ifndef SELO_X25519_BASE_H
#define SELO_X25519_BASE_H

#include <stdint.h>

#include "../common/platform.h"
#include "../native/native.h"

#define SELO_X25519_COLUMNS ((255 + SELO_X25519_TEETH - 1) / SELO_X25519_TEETH)
#define SELO_X25519_ENTRIES (1 << (SELO_X25519_TEETH - 1))
#define SELO_X25519_CHUNK (SELO_X25519_TEETH == 5 ? 24 : 4)

#if SELO_NATIVE_X25519 && SELO_X25519_TEETH == 5
#define selo_x25519_lookup selo_x25519_lookup_avr
#elif SELO_NATIVE_X25519
#define selo_x25519_lookup(entry, index) \
    selo_x25519_lookup_few_avr(entry, index, selo_x25519_table, SELO_X25519_ENTRIES)
#else
#define selo_x25519_lookup selo_x25519_lookup_bytes
#endif

/* out = X25519(scalar, 9) [RFC7748, 5]: the scalar is clamped. out may be scalar. */
void selo_x25519_base(uint8_t out[32], const uint8_t scalar[32]);

/* entry = entry `index` of the table; every byte of the table is read, in the same order
 * for each index. */
void selo_x25519_lookup_bytes(uint8_t entry[96], uint8_t index);
void selo_x25519_lookup_avr(uint8_t entry[96], uint8_t index);
void selo_x25519_lookup_few_avr(uint8_t entry[96], uint8_t index, const uint8_t *table,
                                uint8_t entries);

extern const uint8_t selo_x25519_table[96 * SELO_X25519_ENTRIES];

/* Wipes the stack below the caller, where the field functions kept their work. */
void selo_x25519_wipe_scratch(void);

#endif
