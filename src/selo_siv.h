/*
 * SIV [RFC5297]: authenticated encryption that a repeated nonce does not break, over any block cipher of
 * 128 bits.
 *
 *     struct selo_siv siv = {selo_aes128_fast_cipher(&first), selo_aes128_fast_cipher(&second)};
 *     const struct selo_siv_part parts[] = {{header, header_size}, {nonce, nonce_size}};
 *     const struct selo_siv_header all = {parts, 2};
 *
 *     status = selo_siv_seal(&siv, &all, iv, out, in, size);       // send iv and out
 *     status = selo_siv_open(&siv, &all, iv, out, in, size);
 *
 * The key has two halves: a cipher for the tag, and one for the encryption. The tag is the counter's first
 * value too, so it is called the synthetic IV. It authenticates all parts and the message. Two messages
 * with equal parts and bytes give equal outputs, and an attacker learns no more than that: so SIV is for
 * devices that cannot promise that a nonce is new, and for the wrapping of keys. Add a nonce as the
 * last part where equal messages must look different.
 *
 * The conventions of selo.h apply.
 * Aliasing: out may equal in.
 * Constant time: where the cipher takes constant time. The time depends on the sizes only.
 */
#ifndef SELO_SIV_H
#define SELO_SIV_H

#include "selo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first half of the key authenticates, the second encrypts. They must differ. */
struct selo_siv { struct selo_cipher mac, encryption; };

/* What is authenticated and not encrypted: strings whose borders count. At most 126. */
struct selo_siv_part { const void *data; size_t size; };
struct selo_siv_header { const struct selo_siv_part *parts; uint8_t count; };
enum { SELO_SIV_PARTS = 126 };

/* Encrypts `size` bytes, and makes the synthetic IV.
 *   Returns: SELO_OK; SELO_ERROR_ARGUMENT for more parts. Stack: 143 with AES small. */
enum selo_status selo_siv_seal(const struct selo_siv *siv, const struct selo_siv_header *header,
                               uint8_t iv[16], uint8_t *out, const uint8_t *in, size_t size);

/* Decrypts and verifies.
 *   Returns: SELO_OK; SELO_ERROR_TAG if anything was altered, and SELO_ERROR_ARGUMENT for more parts; out is
 *   then zeroed. Stack: 161 with AES small. */
enum selo_status selo_siv_open(const struct selo_siv *siv, const struct selo_siv_header *header,
                               const uint8_t iv[16], uint8_t *out, const uint8_t *in, size_t size);

#ifdef __cplusplus
}
#endif

#endif
