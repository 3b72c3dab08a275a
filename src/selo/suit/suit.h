/* Parts of a SUIT envelope [SUIT] that the signature schemes share. */
#ifndef SELO_SUIT_SUIT_H
#define SELO_SUIT_SUIT_H

#include "../../selo_suit.h"

/* A way to sign. COSE names each algorithm by one byte of CBOR, and has two names for each
 * [RFC9053, 2] [RFC9864, 2]. */
struct selo_suit_scheme {
    enum selo_status (*verify)(const uint8_t signature[64], const uint8_t *public_key,
                               const void *message, size_t size);
    uint16_t names;
};

/* selo_suit_open_* with a scheme and its key. */
enum selo_status selo_suit_open(struct selo_suit_manifest *manifest, const uint8_t *envelope, size_t size,
                                const struct selo_suit_scheme *scheme, const uint8_t *public_key);

#endif
