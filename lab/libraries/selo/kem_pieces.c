/* Selo's encapsulation of ML-KEM in pieces in the lab. */
#include "agent.h"
#include "names.h"
#include "selo_mlkem.h"

#include <string.h>

#define KEM(suffix) SELO_NAME(SELO_KEM, suffix)

enum { RANDOM = 32, SECRET = 32 };

static struct KEM(_encapsulation) state;

static uint8_t start(struct agent_call *call)
{
    if (call->in[0].size != RANDOM)
        return AGENT_BAD_SIZE;
    const uint8_t *random = call->in[0].data;
    AGENT_MEASURE(KEM(_encapsulate_start)(&state, random));
    return 0;
}

static uint8_t update(struct agent_call *call)
{
    const uint8_t *piece = call->in[0].data;
    const uint16_t size = call->in[0].size;
    uint8_t status;
    AGENT_MEASURE(status = (uint8_t)KEM(_encapsulate_key)(&state, piece, size));
    return status;
}

static uint8_t read(struct agent_call *call)
{
    if (call->in[0].size != 2)
        return AGENT_BAD_SIZE;
    const uint16_t size = (uint16_t)((uint16_t)call->in[0].data[0] << 8 | call->in[0].data[1]);
    if (size > AGENT_IO_BYTES)
        return AGENT_BAD_SIZE;
    uint8_t *out = call->out;
    uint8_t status;
    AGENT_MEASURE(status = (uint8_t)KEM(_encapsulate_read)(&state, out, size));
    call->out_size = size;
    return status;
}

static uint8_t finish(struct agent_call *call)
{
    uint8_t *secret = call->out;
    uint8_t status;
    AGENT_MEASURE(status = (uint8_t)KEM(_encapsulate_finish)(&state, secret));
    call->out_size = SECRET;
    return status;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(START, "start", start)
    AGENT_OPERATION(UPDATE, "update", update)
    AGENT_OPERATION(READ, "read", read)
    AGENT_OPERATION(FINISH, "finish", finish))
