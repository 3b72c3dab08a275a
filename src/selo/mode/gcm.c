/* GCM: the steps common to sealing and opening [SP800-38D, 7]. */
#include <string.h>

#include "../common/wide.h"
#include "../common/xor.h"
#include "gcm.h"
#include "ghash.h"

#if SELO_CIPHER_TWO && !SELO_WIDE
/* The hash key, and the mask for a nonce of 12 bytes, as two blocks at a time. */
static void start_two(struct selo_gcm *gcm, struct selo_cipher cipher, const uint8_t nonce[12])
{
    uint8_t blocks[32];

    memcpy(gcm->counter, nonce, 12);
    gcm->counter[15] = 1;
    memset(blocks, 0, 16);
    memcpy(blocks + 16, gcm->counter, 16);
    cipher.encrypt_two(cipher.key, blocks, blocks);
    memcpy(gcm->hash_key, blocks, 16);
    memcpy(gcm->mask, blocks + 16, 16);
    selo_wipe(blocks, sizeof blocks);
}
#endif

enum selo_status selo_gcm_start(struct selo_gcm *gcm, struct selo_cipher cipher,
                                const struct selo_header *header)
{
    size_t nonce_size = header->nonce_size, tag_size = header->tag_size;

    if (nonce_size == 0 || tag_size < 4 || tag_size > 16 || (tag_size < 12 && tag_size % 4 != 0)) {
        return SELO_ERROR_ARGUMENT;
    }
    memset(gcm, 0, sizeof *gcm);
#if SELO_CIPHER_TWO && !SELO_WIDE
    if (nonce_size == 12 && cipher.encrypt_two != NULL) {
        start_two(gcm, cipher, header->nonce);
        return SELO_OK;
    }
#endif
    cipher.encrypt(cipher.key, gcm->hash_key, gcm->hash_key);
    if (nonce_size == 12) {
        memcpy(gcm->counter, header->nonce, 12);
        gcm->counter[15] = 1;
    } else {
        selo_ghash_padded(gcm->counter, gcm->hash_key, header->nonce, nonce_size);
        selo_ghash_sizes(gcm->counter, gcm->hash_key, 0, nonce_size);
    }
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
    for (uint8_t i = 0; i < 16; i++) {
        tag[i] ^= gcm->mask[i];
    }
}
