/*
 * Selo: the block cipher Speck128 [SPECK2013].
 *
 * Risk: ISO/IEC rejected Speck as a standard in 2018, and no standard for general use includes it.
 * Its designers, the NSA, at first published no design rationale. No attack on the full cipher is
 * known. Selo has Speck because publications measure it. Use AES, Ascon or ChaCha20 for messages.
 *
 * The block has 128 bits. A key of 128, 192 or 256 bits gives 32, 33 or 34 rounds. The byte order
 * is that of the designers' implementation guide: little-endian words, low word first
 * [SPECKGUIDE, 2]. The variants are those of AES. `fast` keeps 8 bytes for each round, `small` the
 * first and the last words of the key schedule, `tiny` the key. `tiny` only encrypts.
 *
 * The conventions of selo.h apply, and the contract of its AES functions. No function can fail.
 * Constant time: on every CPU. There is no table and no multiplication.
 * Stack: at most 14 (fast) and 46 (small, tiny) for a block.
 * Every mode of operation accepts Speck: selo_gcm_seal(selo_speck128_fast_cipher(&key), ...).
 */
#ifndef SELO_SPECK_PUBLIC_H
#define SELO_SPECK_PUBLIC_H

#include "selo.h"

#ifdef __cplusplus
extern "C" {
#endif

struct selo_speck128_fast { uint8_t round_keys[32 * 8]; };
struct selo_speck192_fast { uint8_t round_keys[33 * 8]; };
struct selo_speck256_fast { uint8_t round_keys[34 * 8]; };
struct selo_speck128_small { uint8_t first[16], last[16]; };
struct selo_speck192_small { uint8_t first[24], last[24]; };
struct selo_speck256_small { uint8_t first[32], last[32]; };
struct selo_speck128_tiny { uint8_t key[16]; };
struct selo_speck192_tiny { uint8_t key[24]; };
struct selo_speck256_tiny { uint8_t key[32]; };

void selo_speck128_fast_setup(struct selo_speck128_fast *key, const uint8_t raw[16]);
void selo_speck192_fast_setup(struct selo_speck192_fast *key, const uint8_t raw[24]);
void selo_speck256_fast_setup(struct selo_speck256_fast *key, const uint8_t raw[32]);
selo_block_fn selo_speck128_fast_encrypt, selo_speck128_fast_decrypt;
selo_block_fn selo_speck192_fast_encrypt, selo_speck192_fast_decrypt;
selo_block_fn selo_speck256_fast_encrypt, selo_speck256_fast_decrypt;

void selo_speck128_small_setup(struct selo_speck128_small *key, const uint8_t raw[16]);
void selo_speck192_small_setup(struct selo_speck192_small *key, const uint8_t raw[24]);
void selo_speck256_small_setup(struct selo_speck256_small *key, const uint8_t raw[32]);
selo_block_fn selo_speck128_small_encrypt, selo_speck128_small_decrypt;
selo_block_fn selo_speck192_small_encrypt, selo_speck192_small_decrypt;
selo_block_fn selo_speck256_small_encrypt, selo_speck256_small_decrypt;

void selo_speck128_tiny_setup(struct selo_speck128_tiny *key, const uint8_t raw[16]);
void selo_speck192_tiny_setup(struct selo_speck192_tiny *key, const uint8_t raw[24]);
void selo_speck256_tiny_setup(struct selo_speck256_tiny *key, const uint8_t raw[32]);
selo_block_fn selo_speck128_tiny_encrypt, selo_speck192_tiny_encrypt, selo_speck256_tiny_encrypt;

SELO_CIPHER_OF(selo_speck128_fast)
SELO_CIPHER_OF(selo_speck192_fast)
SELO_CIPHER_OF(selo_speck256_fast)
SELO_CIPHER_OF(selo_speck128_small)
SELO_CIPHER_OF(selo_speck192_small)
SELO_CIPHER_OF(selo_speck256_small)
SELO_CIPHER_OF(selo_speck128_tiny)
SELO_CIPHER_OF(selo_speck192_tiny)
SELO_CIPHER_OF(selo_speck256_tiny)
SELO_INVERSE_OF(selo_speck128_fast)
SELO_INVERSE_OF(selo_speck192_fast)
SELO_INVERSE_OF(selo_speck256_fast)
SELO_INVERSE_OF(selo_speck128_small)
SELO_INVERSE_OF(selo_speck192_small)
SELO_INVERSE_OF(selo_speck256_small)

#ifdef __cplusplus
}
#endif

#endif
