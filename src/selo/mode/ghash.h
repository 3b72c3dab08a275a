/*
 * GHASH, the hash of GCM [SP800-38D, 6.3, 6.4].
 *
 * native/api.h declares the functions that kernels may replace.
 */
#ifndef SELO_MODE_GHASH_H
#define SELO_MODE_GHASH_H

#include "../../selo.h"
#include "../common/compiler.h"

/* selo_ghash_multiply of native/api.h, for CPUs with words of 64 bits: in vectors (neon), and with
 * instructions for products of polynomials (arm, x86). */
#if SELO_GHASH_WIDE
void selo_ghash_multiply_neon(uint8_t product[16], const uint8_t key[16]);
void selo_ghash_multiply_arm(uint8_t product[16], const uint8_t key[16]);
void selo_ghash_multiply_x86(uint8_t product[16], const uint8_t key[16]);
#endif
#if SELO_GHASH_WIDE && SELO_ARM_AES
#define ghash_multiply selo_ghash_multiply_arm
#elif SELO_GHASH_WIDE && SELO_NEON
#define ghash_multiply selo_ghash_multiply_neon
#elif SELO_GHASH_WIDE && SELO_X86
#define ghash_multiply (SELO_CPU_HAS("pclmul") ? selo_ghash_multiply_x86 : selo_ghash_multiply)
#else
#define ghash_multiply selo_ghash_multiply
#endif

/* Adds `size` bytes to the hash, padded with zeros to a multiple of 16 [SP800-38D, 6.4]. */
void selo_ghash_padded(uint8_t hash[16], const uint8_t key[16], const uint8_t *data, size_t size);

/* Adds the last block: both sizes in bits, each a big-endian number of 64 bits. */
void selo_ghash_sizes(uint8_t hash[16], const uint8_t key[16], size_t first, size_t second);

#endif
