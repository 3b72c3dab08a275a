/* Internal: the steps common to sealing and opening with GCM [SP800-38D, 7]. */
#ifndef SELO_MODE_GCM_H
#define SELO_MODE_GCM_H

#include "../../selo.h"
#include "../common/wide.h"

/* Steps 1 and 2 of [SP800-38D, 7.1]. SELO_ERROR_ARGUMENT if GCM does not accept a size. */
enum selo_status selo_gcm_start(struct selo_gcm *gcm, struct selo_cipher cipher,
                                const struct selo_header *header);

#if SELO_CIPHER_TWO
/* The same with H at hand. Also encrypts inc32(J0), the first block of key stream; the counter is
 * that block's. */
enum selo_status selo_gcm_start_keyed(struct selo_gcm *gcm, uint8_t stream[16],
                                      struct selo_cipher cipher, const uint8_t hash_key[16],
                                      const struct selo_header *header);
#endif

/* inc32 [SP800-38D, 6.2]. The time is the same for every counter. */
static inline void selo_gcm_advance(uint8_t counter[16])
{
#if SELO_BYTEWISE
    uint16_t carry = 1;
    for (uint8_t i = 16; i-- != 12;) {
        carry = (uint16_t)(carry + counter[i]);
        counter[i] = (uint8_t)carry;
        carry >>= 8;
    }
#else
    selo_store_be32(counter + 12, selo_load_be32(counter + 12) + 1);
#endif
}

/* GCTR from inc32(J0) on [SP800-38D, 6.5]. */
void selo_gcm_xor(struct selo_gcm *gcm, struct selo_cipher cipher, uint8_t *out,
                  const uint8_t *in, size_t size);

/* Computes the tag of a ciphertext, all 16 bytes. */
void selo_gcm_tag(const struct selo_gcm *gcm, uint8_t tag[16], const struct selo_header *header,
                  const uint8_t *ciphertext, size_t size);

#endif
