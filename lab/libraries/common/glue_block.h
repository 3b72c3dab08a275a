/*
 * A block cipher of a library in the lab. Define the hooks before including this file:
 *
 *     static void lib_set_up_encrypt(const uint8_t *raw)
 *     static void lib_set_up_decrypt(const uint8_t *raw)
 *     static void lib_encrypt(uint8_t *out, const uint8_t *in)
 *     static void lib_decrypt(uint8_t *out, const uint8_t *in)
 *
 * If a library has two key schedules, the lab measures the one for encryption. The other is made
 * outside the marks, and an image that never decrypts does not contain it.
 */
#ifndef GLUE_BLOCK_H
#define GLUE_BLOCK_H

#include "agent.h"
#include "glue_keys.h"

enum { GLUE_BLOCK = 16 };

static uint8_t key_setup(struct agent_call *call)
{
    if (call->in[0].size != AGENT_KEY_BYTES)
        return AGENT_BAD_SIZE;
    const uint8_t *raw = call->in[0].data;
    GLUE_SET_UP(raw);
    return 0;
}

static uint8_t encrypt(struct agent_call *call)
{
    if (call->in[0].size != GLUE_BLOCK)
        return AGENT_BAD_SIZE;
    const uint8_t *in = call->in[0].data;
    uint8_t *out = call->out;
    AGENT_MEASURE(lib_encrypt(out, in));
    call->out_size = GLUE_BLOCK;
    return 0;
}

static uint8_t decrypt(struct agent_call *call)
{
    if (call->in[0].size != GLUE_BLOCK)
        return AGENT_BAD_SIZE;
    const uint8_t *in = call->in[0].data;
    uint8_t *out = call->out;
    AGENT_MEASURE(lib_decrypt(out, in));
    call->out_size = GLUE_BLOCK;
    return 0;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(ENCRYPT, "encrypt", encrypt)
    AGENT_OPERATION(DECRYPT, "decrypt", decrypt))

#endif
