/*
 * Selo's HMACs in the lab, of a whole message and in pieces. The manifest defines SELO_MAC, the
 * struct's name without `struct`, and DIGEST_BYTES.
 */
#include "agent.h"
#include "names.h"
#include "selo.h"

#define START SELO_NAME(SELO_MAC, _start)
#define UPDATE SELO_NAME(SELO_MAC, _update)
#define FINISH SELO_NAME(SELO_MAC, _finish)

static struct SELO_MAC state;

static uint8_t mac(struct agent_call *call)
{
    const uint8_t *key = call->in[0].data, *message = call->in[1].data;
    uint8_t *tag = call->out;
    uint16_t key_size = call->in[0].size, size = call->in[1].size;
    AGENT_MEASURE(START(&state, key, key_size); UPDATE(&state, message, size); FINISH(&state, tag));
    call->out_size = DIGEST_BYTES;
    return SELO_OK;
}

static uint8_t start(struct agent_call *call)
{
    const uint8_t *key = call->in[0].data;
    uint16_t key_size = call->in[0].size;
    AGENT_MEASURE(START(&state, key, key_size));
    return SELO_OK;
}

static uint8_t update(struct agent_call *call)
{
    const uint8_t *chunk = call->in[0].data;
    uint16_t size = call->in[0].size;
    AGENT_MEASURE(UPDATE(&state, chunk, size));
    return SELO_OK;
}

static uint8_t finish(struct agent_call *call)
{
    uint8_t *tag = call->out;
    AGENT_MEASURE(FINISH(&state, tag));
    call->out_size = DIGEST_BYTES;
    return SELO_OK;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(MAC, "mac", mac)
    AGENT_OPERATION(START, "start", start)
    AGENT_OPERATION(UPDATE, "update", update)
    AGENT_OPERATION(FINISH, "finish", finish))
