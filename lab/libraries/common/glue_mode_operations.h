/*
 * The operations of a mode, made from the hooks of glue_mode.h.
 */
#ifndef GLUE_MODE_OPERATIONS_H
#define GLUE_MODE_OPERATIONS_H

#include "agent.h"
#include "glue_keys.h"
#include "glue_mode.h"
#include "selo.h"

#include <string.h>

enum { GLUE_BLOCK = 16 };

static uint8_t key_setup(struct agent_call *call)
{
    if (call->in[0].size != AGENT_KEY_BYTES)
        return AGENT_BAD_SIZE;
    const uint8_t *raw = call->in[0].data;
#if GLUE_CTR
    AGENT_MEASURE(lib_set_up_encrypt(raw));
#else
    GLUE_SET_UP(raw);
#endif
    return SELO_OK;
}

#if GLUE_ECB

static uint8_t encrypt(struct agent_call *call)
{
    const uint8_t *in = call->in[0].data;
    uint8_t *out = call->out;
    agent_size size = call->in[0].size;
    if (size % GLUE_BLOCK)
        return AGENT_BAD_SIZE;
    AGENT_MEASURE(lib_ecb(true, out, in, size));
    call->out_size = size;
    return SELO_OK;
}

static uint8_t decrypt(struct agent_call *call)
{
    const uint8_t *in = call->in[0].data;
    uint8_t *out = call->out;
    agent_size size = call->in[0].size;
    if (size % GLUE_BLOCK)
        return AGENT_BAD_SIZE;
    AGENT_MEASURE(lib_ecb(false, out, in, size));
    call->out_size = size;
    return SELO_OK;
}

#elif GLUE_CBC

static uint8_t encrypt(struct agent_call *call)
{
    agent_size size = call->in[1].size;
    uint8_t padding = (uint8_t)(GLUE_BLOCK - size % GLUE_BLOCK);
    if (call->in[0].size != GLUE_BLOCK || size > AGENT_IO_BYTES - 2 * GLUE_BLOCK)
        return AGENT_BAD_SIZE;
    uint8_t iv[GLUE_BLOCK];
    memcpy(iv, call->in[0].data, GLUE_BLOCK);
    memcpy(call->out, iv, GLUE_BLOCK);
    uint8_t *data = call->out + GLUE_BLOCK;
    memcpy(data, call->in[1].data, size);
    memset(data + size, padding, padding);
    size = (agent_size)(size + padding);
    AGENT_MEASURE(lib_cbc(true, iv, data, size));
    call->out_size = (agent_size)(GLUE_BLOCK + size);
    return SELO_OK;
}

static uint8_t decrypt(struct agent_call *call)
{
    if (call->in[0].size < 2 * GLUE_BLOCK || call->in[0].size % GLUE_BLOCK)
        return SELO_ERROR_ARGUMENT;
    agent_size size = (agent_size)(call->in[0].size - GLUE_BLOCK);
    uint8_t iv[GLUE_BLOCK];
    memcpy(iv, call->in[0].data, GLUE_BLOCK);
    uint8_t *data = call->out;
    memcpy(data, call->in[0].data + GLUE_BLOCK, size);
    AGENT_MEASURE(lib_cbc(false, iv, data, size));
    uint8_t padding = data[size - 1], wrong = padding == 0 || padding > GLUE_BLOCK;
    for (uint8_t i = 0; !wrong && i < padding; i++)
        wrong = data[size - 1 - i] != padding;
    call->out_size = wrong ? 0 : (agent_size)(size - padding);
    return wrong ? SELO_ERROR_PADDING : SELO_OK;
}

#elif GLUE_CTR

static uint8_t encrypt(struct agent_call *call)
{
    if (call->in[0].size != GLUE_BLOCK)
        return AGENT_BAD_SIZE;
    uint8_t *counter = call->in[0].data;
    const uint8_t *in = call->in[1].data;
    uint8_t *out = call->out;
    agent_size size = call->in[1].size;
    AGENT_MEASURE(lib_ctr(counter, out, in, size));
    call->out_size = size;
    return SELO_OK;
}

static uint8_t decrypt(struct agent_call *call) { return encrypt(call); }

#else
#error "an algorithm of a mode that this file does not know"
#endif

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(ENCRYPT, "encrypt", encrypt)
    AGENT_OPERATION(DECRYPT, "decrypt", decrypt))

#endif
