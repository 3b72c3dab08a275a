/*
 * Selo's hashes in the lab, of a whole message and in pieces. The manifest defines SELO_HASH, the
 * struct's name without `struct`, SELO_START, the prefix of its start function, and DIGEST_BYTES.
 */
#include "agent.h"
#include "names.h"
#include "selo.h"

#define START SELO_NAME(SELO_START, _start)
#define UPDATE SELO_NAME(SELO_HASH, _update)
#define FINISH SELO_NAME(SELO_HASH, _finish)

static struct SELO_HASH state;

static uint8_t hash(struct agent_call *call)
{
    const uint8_t *message = call->in[0].data;
    uint8_t *digest = call->out;
    uint16_t size = call->in[0].size;
    AGENT_MEASURE(START(&state); UPDATE(&state, message, size); FINISH(&state, digest));
    call->out_size = DIGEST_BYTES;
    return SELO_OK;
}

static uint8_t start(struct agent_call *call)
{
    (void)call;
    AGENT_MEASURE(START(&state));
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
    uint8_t *digest = call->out;
    AGENT_MEASURE(FINISH(&state, digest));
    call->out_size = DIGEST_BYTES;
    return SELO_OK;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(HASH, "hash", hash)
    AGENT_OPERATION(START, "start", start)
    AGENT_OPERATION(UPDATE, "update", update)
    AGENT_OPERATION(FINISH, "finish", finish))
