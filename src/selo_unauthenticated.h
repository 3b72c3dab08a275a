/*
 * Selo: modes of operation that do not authenticate [SP800-38A].
 *
 * Whoever can alter a message alters it unseen, and often learns its text by doing so. For
 * messages use the authenticated encryption of selo.h. These modes are for protocols that
 * authenticate by other means, for tests, and for reproducing published figures.
 *
 * The conventions of selo.h hold. A mode takes any block cipher under its key, made by
 * selo_aes128_fast_cipher(&key), selo_aes128_fast_inverse(&key) and their like. It takes as
 * constant a time as its cipher, beside the size.
 */
#ifndef SELO_UNAUTHENTICATED_H
#define SELO_UNAUTHENTICATED_H

#include "selo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ECB: every block alone; equal blocks encrypt equally. SELO_ERROR_ARGUMENT unless size is a
 * multiple of 16. out may be in. Stack: at most 73 bytes. */
enum selo_status selo_ecb_encrypt(struct selo_cipher cipher,
                                  uint8_t *out, const uint8_t *in, size_t size);
static inline enum selo_status selo_ecb_decrypt(struct selo_inverse_cipher cipher,
                                                uint8_t *out, const uint8_t *in, size_t size)
{
    struct selo_cipher blocks = {cipher.decrypt, cipher.key};
    return selo_ecb_encrypt(blocks, out, in, size);
}

/* Bytes that selo_cbc_encrypt writes for a message of `size` bytes: IV, message, padding. */
#define SELO_CBC_SIZE(size) (16 + ((size) / 16 + 1) * 16)

/* CBC with PKCS#7 padding. The IV is drawn from `random` for every message, as
 * [SP800-38A, appendix C] demands, and stands first in out; there is no way to
 * give one. `out` has room for out_capacity bytes, of which
 * SELO_CBC_SIZE(in_size) are written; *out_size says how many. SELO_ERROR_SPACE if that is too
 * little, SELO_ERROR_RANDOM if `random` fails. Here out and in must not overlap at all.
 * Stack: at most 78 bytes, and what `random` takes. */
enum selo_status selo_cbc_encrypt(struct selo_cipher cipher,
                                  selo_random_fn *random, void *random_source,
                                  uint8_t *out, size_t out_capacity, size_t *out_size,
                                  const uint8_t *in, size_t in_size);

/* Reverse of selo_cbc_encrypt: in is IV and ciphertext, 32 bytes at least. Checks the padding
 * without a secret-dependent branch; but an attacker who learns that
 * SELO_ERROR_PADDING was returned has a padding oracle: authenticate first. out
 * has room for in_size - 16 bytes at least, and may be in or in + 16. Stack: at most 121
 * bytes. */
enum selo_status selo_cbc_decrypt(struct selo_inverse_cipher cipher,
                                  uint8_t *out, size_t out_capacity, size_t *out_size,
                                  const uint8_t *in, size_t in_size);

/* CTR: encrypts and decrypts. counter[] is a 128-bit big-endian counter block, advanced by the
 * number of blocks used (a partly used block counts); the same value must never serve
 * two messages under one key. size is free. out may be in. Stack: at most 93 bytes. */
void selo_ctr(struct selo_cipher cipher, uint8_t counter[16],
              uint8_t *out, const uint8_t *in, size_t size);

#ifdef __cplusplus
}
#endif

#endif
