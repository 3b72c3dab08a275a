/*
 * HKDF of a library. Define the hook before including this file. It returns 0, or an error code:
 *
 *     static int lib_derive(uint8_t *out, uint16_t size, const struct agent_field *salt,
 *                           const struct agent_field *key, const struct agent_field *info)
 */
#ifndef GLUE_KDF_H
#define GLUE_KDF_H

#include "agent.h"
#include "selo.h"

#include <string.h>

static uint8_t derive(struct agent_call *call)
{
    const struct agent_field *salt = &call->in[0], *key = &call->in[1], *info = &call->in[2];
    if (call->in[3].size != 2)
        return AGENT_BAD_SIZE;
    uint16_t size = (uint16_t)((uint16_t)(call->in[3].data[0] << 8) | call->in[3].data[1]);
    if (size > AGENT_IO_BYTES)
        return AGENT_BAD_SIZE;
    uint8_t *out = call->out;
    int failed;
    AGENT_MEASURE(failed = lib_derive(out, size, salt, key, info));
    call->out_size = size;
    if (failed)
        memset(out, 0, size);
    return failed ? SELO_ERROR_ARGUMENT : SELO_OK;
}

AGENT_OPERATIONS(AGENT_OPERATION(DERIVE, "derive", derive))

#endif
