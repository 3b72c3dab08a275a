/* The table of the comb of P-256 (p256_base.c). */
#ifndef SELO_P256_BASE_H
#define SELO_P256_BASE_H

#include "../native/api.h"

#define SELO_P256_COLUMNS ((256 + SELO_P256_TEETH - 1) / SELO_P256_TEETH)
#define SELO_P256_ENTRIES (1 << (SELO_P256_TEETH - 1))
/* Bytes of an entry that are stored together, before those of the next entry. */
#define SELO_P256_CHUNK 16

#if SELO_NATIVE_P256 && SELO_BACKEND_AVR
#define selo_p256_lookup selo_p256_lookup_avr
#else
#define selo_p256_lookup selo_p256_lookup_bytes
#endif

#if !defined(__ASSEMBLER__)

#include <stdint.h>

/* entry = entry `index` of the table. Every byte of the table is read, in the same order for each index. */
void selo_p256_lookup_bytes(uint8_t entry[64], uint8_t index);

extern const uint8_t selo_p256_table[64 * SELO_P256_ENTRIES];

#endif

#endif
