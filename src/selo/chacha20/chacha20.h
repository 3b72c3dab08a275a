/*
 * ChaCha20 [RFC8439, 2.3, 2.4]. Internal to the library, because a cipher without a tag does not
 * protect messages.
 *
 * native/api.h declares the functions that kernels may replace.
 */
#ifndef SELO_CHACHA20_H
#define SELO_CHACHA20_H

#include "../../selo.h"
#include "../native/api.h"

/* The same in vectors, for CPUs that have them. */
#if SELO_CHACHA20_WIDE
void selo_chacha20_block_wide(uint32_t stream[16], const uint32_t state[16]);
void selo_chacha20_xor_wide(uint32_t state[16], uint8_t *out, const uint8_t *in, size_t size);
#define chacha20_block selo_chacha20_block_wide
#define chacha20_xor selo_chacha20_xor_wide
#else
#define chacha20_block selo_chacha20_block
#define chacha20_xor selo_chacha20_xor
#endif

/* The state for a key and a nonce, its block counter 0 [RFC8439, 2.3]. */
void selo_chacha20_start(uint32_t state[16], const uint8_t key[32], const uint8_t nonce[12]);

/* Adds key stream to `size` bytes and advances the block counter [RFC8439, 2.4]. */
void selo_chacha20_xor(uint32_t state[16], uint8_t *out, const uint8_t *in, size_t size);

#endif
