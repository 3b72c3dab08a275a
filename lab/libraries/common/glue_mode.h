/*
 * AES of a library in a mode of operation. GLUE_ECB, GLUE_CBC and GLUE_CTR tell the mode of an
 * image. Define the hooks before including glue_mode_operations.h:
 *
 *     static void lib_set_up_encrypt(const uint8_t *raw)      the key for encrypting
 *     static void lib_set_up_decrypt(const uint8_t *raw)      not of CTR
 *     static void lib_ecb(bool encrypts, uint8_t *out, const uint8_t *in, agent_size size)
 *     static void lib_cbc(bool encrypts, uint8_t *iv, uint8_t *data, agent_size size)
 *     static void lib_ctr(uint8_t *counter, uint8_t *out, const uint8_t *in, agent_size size)
 *
 * CBC works in place on whole blocks. The glue adds the padding, and takes the IV from the host's
 * random bytes, outside the marks.
 */
#ifndef GLUE_MODE_H
#define GLUE_MODE_H

#define GLUE_MODE_IS(MODE)                                                   \
    (AGENT_ALGORITHM_AES_128_##MODE || AGENT_ALGORITHM_AES_192_##MODE        \
     || AGENT_ALGORITHM_AES_256_##MODE)
#define GLUE_ECB GLUE_MODE_IS(ECB)
#define GLUE_CBC GLUE_MODE_IS(CBC)
#define GLUE_CTR GLUE_MODE_IS(CTR)

#include <stdbool.h>

#include "agent.h"

#endif
