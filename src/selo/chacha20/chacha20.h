/*
 * ChaCha20 [RFC8439, 2.3, 2.4]. Internal to the library: a cipher without a tag is
 * not for messages.
 *
 * An overlay of src/selo/native/ replaces the block function where
 * SELO_NATIVE_CHACHA20_BLOCK is 1: then the C is left out.
 */
#ifndef SELO_CHACHA20_H
#define SELO_CHACHA20_H

#include "../../selo.h"
#include "../native/native.h"

#ifndef SELO_NATIVE_CHACHA20_BLOCK
#define SELO_NATIVE_CHACHA20_BLOCK SELO_NATIVE_CHACHA20
#endif

/* The block function [RFC8439, 2.3]: 64 bytes of key stream, which stand in the words of
 * `stream` in the order of their addresses. */
void selo_chacha20_block(uint32_t stream[16], const uint32_t state[16]);

/* The state for a key and a nonce, its block counter 0 [RFC8439, 2.3]. */
void selo_chacha20_start(uint32_t state[16], const uint8_t key[32], const uint8_t nonce[12]);

/* Adds key stream to `size` bytes and advances the block counter [RFC8439, 2.4]. */
void selo_chacha20_xor(uint32_t state[16], uint8_t *out, const uint8_t *in, size_t size);

#endif
