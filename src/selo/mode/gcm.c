/* GCM: the steps common to sealing and opening [SP800-38D, 7]. */
#include <string.h>

#include "../common/wide.h"
#include "../common/xor.h"
#include "gcm.h"
#include "ghash.h"

/* Sizes that GCM does not accept. */
#define REFUSED(nonce_size, tag_size) \
    ((nonce_size) == 0 || (tag_size) < 4 || (tag_size) > 16 || ((tag_size) < 12 && (tag_size) % 4 != 0))

/* The counter, which is zero, becomes J0 [SP800-38D, 7.1, step 2]. */
SELO_INLINE void count(struct selo_gcm *gcm, const struct selo_header *header, size_t nonce_size)
{
    if (nonce_size == 12) {
        memcpy(gcm->counter, header->nonce, 12);
        gcm->counter[15] = 1;
    } else {
        selo_ghash_padded(gcm->counter, gcm->hash_key, header->nonce, nonce_size);
        selo_ghash_sizes(gcm->counter, gcm->hash_key, 0, nonce_size);
    }
}

#if SELO_CIPHER_TWO
/* Blocks a and b, two at a time where the cipher can. */
static void encrypt_both(struct selo_cipher cipher, uint8_t a[16], uint8_t b[16])
{
    uint8_t blocks[32];

    if (cipher.encrypt_two != NULL) {
        memcpy(blocks, a, 16);
        memcpy(blocks + 16, b, 16);
        cipher.encrypt_two(cipher.key, blocks, blocks);
        memcpy(a, blocks, 16);
        memcpy(b, blocks + 16, 16);
        selo_wipe(blocks, sizeof blocks);
    } else {
        cipher.encrypt(cipher.key, a, a);
        cipher.encrypt(cipher.key, b, b);
    }
}

enum selo_status selo_gcm_start_keyed(struct selo_gcm *gcm, uint8_t stream[16],
                                      struct selo_cipher cipher, const uint8_t hash_key[16],
                                      const struct selo_header *header)
{
    if (REFUSED(header->nonce_size, header->tag_size)) {
        return SELO_ERROR_ARGUMENT;
    }
    memcpy(gcm->hash_key, hash_key, 16);
    memset(gcm->counter, 0, 16);
    count(gcm, header, header->nonce_size);
    memcpy(gcm->mask, gcm->counter, 16);
    selo_gcm_advance(gcm->counter);
    memcpy(stream, gcm->counter, 16);
    encrypt_both(cipher, gcm->mask, stream);
    return SELO_OK;
}
#endif

enum selo_status selo_gcm_start(struct selo_gcm *gcm, struct selo_cipher cipher,
                                const struct selo_header *header)
{
    size_t nonce_size = header->nonce_size, tag_size = header->tag_size;

    if (REFUSED(nonce_size, tag_size)) {
        return SELO_ERROR_ARGUMENT;
    }
    memset(gcm, 0, sizeof *gcm);
#if SELO_CIPHER_TWO && !SELO_WIDE
    if (nonce_size == 12) {
        count(gcm, header, nonce_size);
        memcpy(gcm->mask, gcm->counter, 16);
        encrypt_both(cipher, gcm->hash_key, gcm->mask);
        return SELO_OK;
    }
#endif
    cipher.encrypt(cipher.key, gcm->hash_key, gcm->hash_key);
    count(gcm, header, nonce_size);
    cipher.encrypt(cipher.key, gcm->mask, gcm->counter);
    return SELO_OK;
}

#if SELO_CIPHER_TWO && !SELO_WIDE
/* The part of selo_gcm_xor with two blocks at a time; returns the size of the rest. */
static size_t xor_two(struct selo_gcm *gcm, struct selo_cipher cipher, uint8_t **out,
                      const uint8_t **in, size_t size)
{
    _Alignas(uint32_t) uint8_t stream[32];
    uint32_t nonce[3], number = selo_load_be32(gcm->counter + 12);

    memcpy(nonce, gcm->counter, sizeof nonce);
    while (size > 16) {
        uint8_t taken = (uint8_t)(size < 32 ? size : 32);
        memcpy(stream, nonce, sizeof nonce);
        selo_store_be32(stream + 12, ++number);
        memcpy(stream + 16, nonce, sizeof nonce);
        selo_store_be32(stream + 28, ++number);
        cipher.encrypt_two(cipher.key, stream, stream);
        selo_xor(out, in, stream, taken);
        size -= taken;
    }
    selo_store_be32(gcm->counter + 12, number);
    selo_wipe(stream, sizeof stream);
    return size;
}
#endif

void selo_gcm_xor(struct selo_gcm *gcm, struct selo_cipher cipher, uint8_t *out,
                  const uint8_t *in, size_t size)
{
    _Alignas(uint32_t) uint8_t stream[16];

#if SELO_CIPHER_TWO && !SELO_WIDE
    if (cipher.encrypt_two != NULL) {
        size = xor_two(gcm, cipher, &out, &in, size);
    }
#endif
    while (size != 0) {
        uint8_t taken = (uint8_t)(size < 16 ? size : 16);
        selo_gcm_advance(gcm->counter);
        cipher.encrypt(cipher.key, stream, gcm->counter);
        selo_xor(&out, &in, stream, taken);
        size -= taken;
    }
    selo_wipe(stream, sizeof stream);
}

void selo_gcm_tag(const struct selo_gcm *gcm, uint8_t tag[16], const struct selo_header *header,
                  const uint8_t *ciphertext, size_t size)
{
    memset(tag, 0, 16);
    selo_ghash_padded(tag, gcm->hash_key, header->ad, header->ad_size);
    selo_ghash_padded(tag, gcm->hash_key, ciphertext, size);
    selo_ghash_sizes(tag, gcm->hash_key, header->ad_size, size);
#if SELO_BYTEWISE
    for (uint8_t i = 0; i < 16; i++) {
        tag[i] ^= gcm->mask[i];
    }
#else
    selo_xor_16(tag, tag, gcm->mask);
#endif
}
