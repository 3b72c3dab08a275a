/*
 * Selo: the block cipher Speck128 [SPECK2013].
 *
 * Its risk: ISO/IEC refused Speck as a standard in 2018, and no standard for general use names
 * it. Its designers are the NSA, which published no design rationale at first. No attack on the
 * full cipher is known. It is here because publications measure it. For messages use AES, Ascon
 * or ChaCha20.
 *
 * 128-bit block, 128/192/256-bit key, 32/33/34 rounds. Bytes stand in the order
 * of the designers' implementation guide: little-endian words, the low word
 * first [SPECKGUIDE, 2]. The variants are those of AES: `fast` keeps 8 bytes a
 * round, `small` the first and the last key material, `tiny` the key.
 *
 * The conventions of selo.h hold. Constant time on every CPU: there is no table and no
 * multiplication. Stack: at most 14 (fast) and 46 bytes (small, tiny) a block. The modes of
 * operation take it as any other cipher: selo_gcm_seal(selo_speck128_fast_cipher(&key), ...).
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
