/*
 * The operations of an authenticated cipher, made from the hooks of glue_aead.h.
 */
#ifndef GLUE_AEAD_OPERATIONS_H
#define GLUE_AEAD_OPERATIONS_H

#include "agent.h"
#include "glue_aead.h"
#include "selo.h"

#include <string.h>

/* Reads the fields. Returns 0 for sizes with which no call is possible. */
static uint8_t glue_read(struct glue_message *m, const struct agent_call *call)
{
    const struct agent_field *in = call->in;
    *m = (struct glue_message){.nonce = in[0].data, .nonce_size = in[0].size,
                               .ad = in[1].data, .ad_size = in[1].size,
                               .in = in[2].data, .size = in[2].size,
                               .tag_size = in[3].size ? in[3].data[0] : 16};
    return in[3].size <= 1 && GLUE_NONCE_IS(m->nonce_size) && GLUE_TAG_IS(m->tag_size);
}

static uint8_t key_setup(struct agent_call *call)
{
    if (call->in[0].size != AGENT_KEY_BYTES)
        return AGENT_BAD_SIZE;
    const uint8_t *raw = call->in[0].data;
    int failed;
    AGENT_MEASURE(failed = lib_set_up(raw));
    return failed ? SELO_ERROR_ARGUMENT : SELO_OK;
}

static uint8_t seal(struct agent_call *call)
{
    struct glue_message m;
    if (!glue_read(&m, call) || m.size > AGENT_IO_BYTES - m.tag_size)
        return AGENT_BAD_SIZE;
    uint8_t *out = call->out, *tag = out + m.size;
    int failed;
    AGENT_MEASURE(failed = lib_seal(&m, out, tag));
    call->out_size = (agent_size)(m.size + m.tag_size);
    return failed ? SELO_ERROR_ARGUMENT : SELO_OK;
}

static uint8_t open(struct agent_call *call)
{
    struct glue_message m;
    if (!glue_read(&m, call) || m.size < m.tag_size)
        return AGENT_BAD_SIZE;
    m.size = (agent_size)(m.size - m.tag_size);
    uint8_t *out = call->out;
    const uint8_t *tag = m.in + m.size;
    int failed;
    AGENT_MEASURE(failed = lib_open(&m, out, tag));
    if (failed)
        memset(out, 0, m.size);
    call->out_size = m.size;
    return failed ? SELO_ERROR_TAG : SELO_OK;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(SEAL, "seal", seal)
    AGENT_OPERATION(OPEN, "open", open))

#endif
