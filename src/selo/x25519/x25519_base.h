/*
 * Scalar multiplication of the base point, for key generation.
 *
 * SELO_X25519_TABLE and SELO_X25519_TEETH of native/api.h choose it.
 */
#ifndef SELO_X25519_BASE_H
#define SELO_X25519_BASE_H

#include "../native/api.h"

#define SELO_X25519_COLUMNS ((255 + SELO_X25519_TEETH - 1) / SELO_X25519_TEETH)
#define SELO_X25519_ENTRIES (1 << (SELO_X25519_TEETH - 1))
#define SELO_X25519_CHUNK (SELO_X25519_TEETH == 5 ? 24 : 4)

#if SELO_NATIVE_X25519 && SELO_BACKEND_AVR && SELO_X25519_TEETH == 5
#define selo_x25519_lookup selo_x25519_lookup_avr
#elif SELO_NATIVE_X25519 && SELO_BACKEND_AVR
#define selo_x25519_lookup(entry, index) \
    selo_x25519_lookup_few_avr(entry, index, selo_x25519_table, SELO_X25519_ENTRIES)
#elif SELO_X25519_WIDE && SELO_X25519_TEETH == 5
#define selo_x25519_lookup selo_x25519_lookup_wide
#elif SELO_NATIVE_X25519 && SELO_BACKEND_ARM && SELO_X25519_TEETH == 5
#define selo_x25519_lookup selo_x25519_lookup_arm
#elif SELO_NATIVE_X25519 && SELO_BACKEND_RISCV32 && SELO_X25519_TEETH == 5
#define selo_x25519_lookup selo_x25519_lookup_riscv32
#elif SELO_NATIVE_X25519 && SELO_BACKEND_XTENSA && SELO_X25519_TEETH == 5
#define selo_x25519_lookup selo_x25519_lookup_xtensa
#else
#define selo_x25519_lookup selo_x25519_lookup_bytes
#endif

#if !defined(__ASSEMBLER__)

#include <stdint.h>

/* out = X25519(scalar, 9) [RFC7748, 5]: the scalar is clamped. out may be scalar. */
void selo_x25519_base(uint8_t out[32], const uint8_t scalar[32]);

/* entry = entry `index` of the table; every byte of the table is read, in the same order
 * for each index. */
void selo_x25519_lookup_bytes(uint8_t entry[96], uint8_t index);
#if SELO_X25519_WIDE && SELO_X25519_TEETH == 5
void selo_x25519_lookup_wide(uint8_t entry[96], uint8_t index);
#endif

extern const uint8_t selo_x25519_table[96 * SELO_X25519_ENTRIES];

/* Wipes the stack below the caller, where the field functions kept their work. */
void selo_x25519_wipe_scratch(void);

#endif

#endif
