/*
 * An authenticated cipher of a library. A hook gets a `struct glue_message`. Define the hooks before
 * including glue_aead_operations.h. Each returns 0, or an error code:
 *
 *     static int lib_set_up(const uint8_t *raw)
 *     static int lib_seal(const struct glue_message *m, uint8_t *out, uint8_t *tag)
 *     static int lib_open(const struct glue_message *m, uint8_t *out, const uint8_t *tag)
 *
 * GLUE_NONCE_IS(size) and GLUE_TAG_IS(size) tell which sizes the algorithm has. Other sizes are
 * refused without a call. If a library leaves the plaintext of a forged message in place, the glue
 * wipes it, outside the marks.
 */
#ifndef GLUE_AEAD_H
#define GLUE_AEAD_H

#include "agent.h"

struct glue_message {
    const uint8_t *nonce, *ad, *in;
    agent_size nonce_size, ad_size, size; /* size of the text without the tag */
    uint8_t tag_size;
};

#define GLUE_MODE_IS(MODE)                                                   \
    (AGENT_ALGORITHM_AES_128_##MODE || AGENT_ALGORITHM_AES_192_##MODE        \
     || AGENT_ALGORITHM_AES_256_##MODE)
#if GLUE_MODE_IS(GCM)
#define GLUE_GCM 1
#else
#define GLUE_GCM 0
#endif
#if GLUE_MODE_IS(CCM)
#define GLUE_CCM 1
#else
#define GLUE_CCM 0
#endif

#if GLUE_GCM /* [SP800-38D, 5.2.1] */
#define GLUE_NONCE_IS(size) ((size) > 0)
#define GLUE_TAG_IS(size) ((size) == 4 || (size) == 8 || ((size) >= 12 && (size) <= 16))
#elif GLUE_CCM /* [SP800-38C, A.1] */
#define GLUE_NONCE_IS(size) ((size) >= 7 && (size) <= 13)
#define GLUE_TAG_IS(size) ((size) >= 4 && (size) <= 16 && (size) % 2 == 0)
#else
#define GLUE_NONCE_IS(size) ((size) == GLUE_NONCE)
#define GLUE_TAG_IS(size) ((size) == 16)
#if AGENT_ALGORITHM_CHACHA20_POLY1305
enum { GLUE_NONCE = 12 };
#else
enum { GLUE_NONCE = 16 };
#endif
#endif

#endif
