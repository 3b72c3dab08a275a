/* Internal: the steps common to sealing and opening with GCM [SP800-38D, 7]. */
#ifndef SELO_MODE_GCM_H
#define SELO_MODE_GCM_H

#include "../../selo.h"

struct selo_gcm {
    uint8_t hash_key[16]; /* H */
    uint8_t mask[16];     /* the encrypted J0, added to the hash to make the tag */
    uint8_t counter[16];  /* the counter block encrypted last; J0 at the start */
};

/* Steps 1 and 2 of [SP800-38D, 7.1]. SELO_ERROR_ARGUMENT if GCM does not accept a size. */
enum selo_status selo_gcm_start(struct selo_gcm *gcm, struct selo_cipher cipher,
                                const struct selo_header *header);

/* GCTR from inc32(J0) on [SP800-38D, 6.5]. */
void selo_gcm_xor(struct selo_gcm *gcm, struct selo_cipher cipher, uint8_t *out,
                  const uint8_t *in, size_t size);

/* Computes the tag of a ciphertext, all 16 bytes. */
void selo_gcm_tag(const struct selo_gcm *gcm, uint8_t tag[16], const struct selo_header *header,
                  const uint8_t *ciphertext, size_t size);

#endif
