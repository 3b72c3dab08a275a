/*
 * Selo: modes of operation that do not authenticate [SP800-38A].
 *
 * An attacker can alter a message without being noticed, and can often learn its text by doing so.
 * Use the authenticated encryption of selo.h for messages. These modes are for protocols that
 * authenticate by other means, for tests, and for reproducing published figures.
 *
 * The conventions of selo.h apply. A mode takes any block cipher with its key, made by
 * selo_aes128_fast_cipher(&key), selo_aes128_fast_inverse(&key) and similar functions.
 * Constant time: where the cipher takes constant time. The time depends on the size only.
 */
#ifndef SELO_UNAUTHENTICATED_H
#define SELO_UNAUTHENTICATED_H

#include "selo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ECB: encrypts or decrypts each block alone. Equal blocks have equal ciphertexts.
 * Sizes: in and out have `size` bytes, a multiple of 16.
 * Returns: SELO_OK, or SELO_ERROR_ARGUMENT if size is not a multiple of 16.
 * Output on error: out[0..size) is zeroed. Aliasing: out may equal in. Stack: at most 73. */
enum selo_status selo_ecb_encrypt(struct selo_cipher cipher,
                                  uint8_t *out, const uint8_t *in, size_t size);
static inline enum selo_status selo_ecb_decrypt(struct selo_inverse_cipher cipher,
                                                uint8_t *out, const uint8_t *in, size_t size)
{
    struct selo_cipher blocks;
    blocks.encrypt = cipher.decrypt;
    blocks.key = cipher.key;
#if SELO_CIPHER_TWO
    blocks.encrypt_two = NULL;
#endif
    return selo_ecb_encrypt(blocks, out, in, size);
}

/* The number of bytes that selo_cbc_encrypt writes for `size` bytes: IV, message and padding. */
#define SELO_CBC_SIZE(size) (16 + ((size) / 16 + 1) * 16)

/* CBC with PKCS#7 padding. Writes the IV and then the ciphertext to out. `random` draws the IV for
 * each message, as [SP800-38A, appendix C] requires; the caller cannot choose it.
 * Sizes: out has room for out_capacity bytes, at least SELO_CBC_SIZE(in_size). *out_size receives
 * the number of bytes written, which is SELO_CBC_SIZE(in_size).
 * Returns: SELO_OK; SELO_ERROR_SPACE if out_capacity is too small; SELO_ERROR_RANDOM if `random`
 * fails; SELO_ERROR_ARGUMENT if SELO_CBC_SIZE(in_size) does not fit into size_t.
 * Outputs on error: out[0..out_capacity) and *out_size are zeroed.
 * Aliasing: out and in must not overlap at all. Stack: at most 78, and that of `random`. */
enum selo_status selo_cbc_encrypt(struct selo_cipher cipher,
                                  selo_random_fn *random, void *random_source,
                                  uint8_t *out, size_t out_capacity, size_t *out_size,
                                  const uint8_t *in, size_t in_size);

/* Reverses selo_cbc_encrypt and removes the padding.
 * Sizes: in holds the IV and the ciphertext, in_size bytes: a multiple of 16, at least 32. out has
 * room for out_capacity bytes, at least in_size - 16. *out_size receives the size of the message.
 * Returns: SELO_OK; SELO_ERROR_ARGUMENT for another in_size; SELO_ERROR_SPACE if out_capacity is
 * too small; SELO_ERROR_PADDING if the padding is malformed.
 * Outputs on error: out[0..out_capacity) and *out_size are zeroed.
 * Aliasing: out may equal in or in + 16.
 * Constant time: no branch depends on a byte of the padding, only on the result of its check. An
 * attacker who learns that result has a padding oracle. Authenticate before you decrypt.
 * Stack: at most 121. */
enum selo_status selo_cbc_decrypt(struct selo_inverse_cipher cipher,
                                  uint8_t *out, size_t out_capacity, size_t *out_size,
                                  const uint8_t *in, size_t in_size);

/* CTR: encrypts or decrypts `size` bytes of any size. It cannot fail.
 * counter[] is the first counter block, a big-endian number of 128 bits. It is advanced by one for
 * each block, including a partial last one. Never use one counter value twice under one key.
 * Aliasing: out may equal in; counter must not overlap out. Stack: at most 93. */
void selo_ctr(struct selo_cipher cipher, uint8_t counter[16],
              uint8_t *out, const uint8_t *in, size_t size);

#ifdef __cplusplus
}
#endif

#endif
