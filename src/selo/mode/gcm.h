/* What sealing and opening with GCM share [SP800-38D, 7]. */
#ifndef SELO_MODE_GCM_H
#define SELO_MODE_GCM_H

#include "../../selo.h"

struct selo_gcm {
    uint8_t hash_key[16]; /* H */
    uint8_t mask[16];     /* the encrypted J0, which hides the hash in the tag */
    uint8_t counter[16];  /* of the block that was encrypted last; J0 to begin with */
};

/* Steps 1 and 2 of [SP800-38D, 7.1], or SELO_ERROR_ARGUMENT for a size that GCM does not take. */
enum selo_status selo_gcm_start(struct selo_gcm *gcm, struct selo_cipher cipher,
                                const struct selo_header *header);

/* GCTR from inc32(J0) on [SP800-38D, 6.5]. */
void selo_gcm_xor(struct selo_gcm *gcm, struct selo_cipher cipher, uint8_t *out,
                  const uint8_t *in, size_t size);

/* The whole tag of a ciphertext. */
void selo_gcm_tag(const struct selo_gcm *gcm, uint8_t tag[16], const struct selo_header *header,
                  const uint8_t *ciphertext, size_t size);

#endif
