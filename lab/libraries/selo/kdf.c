/*
 * Selo's HKDFs in the lab: extract and expand in one call. The manifest defines
 * SELO_KDF, the function.
 */
#include "agent.h"
#include "selo.h"

static uint8_t derive(struct agent_call *call)
{
    const struct agent_field *salt = &call->in[0], *ikm = &call->in[1], *info = &call->in[2];
    if (call->in[3].size != 2)
        return AGENT_BAD_SIZE;
    uint16_t size = (uint16_t)((uint16_t)(call->in[3].data[0] << 8) | call->in[3].data[1]);
    if (size > AGENT_IO_BYTES)
        return AGENT_BAD_SIZE;
    uint8_t *out = call->out;
    enum selo_status status;
    AGENT_MEASURE(status = SELO_KDF(out, size, salt->data, salt->size, ikm->data, ikm->size,
                                    info->data, info->size));
    call->out_size = size;
    return (uint8_t)status;
}

AGENT_OPERATIONS(AGENT_OPERATION(DERIVE, "derive", derive))
