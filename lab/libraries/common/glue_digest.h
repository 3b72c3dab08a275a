/*
 * A hash or a MAC of a library, of a whole message (three calls) and in pieces. Define DIGEST_BYTES
 * and the hooks before including this file:
 *
 *     static void lib_start(void)                                   of a hash
 *     static void lib_start(const uint8_t *key, uint16_t key_size)  of a MAC (GLUE_MAC)
 *     static void lib_update(const uint8_t *data, uint16_t size)
 *     static void lib_finish(uint8_t *out)
 */
#ifndef GLUE_DIGEST_H
#define GLUE_DIGEST_H

#include "agent.h"

#if GLUE_MAC
#define GLUE_START lib_start(key, key_size)
#define GLUE_KEY(call)                                                       \
    const uint8_t *key = (call)->in[0].data;                                 \
    uint16_t key_size = (call)->in[0].size;
enum { GLUE_MESSAGE = 1 };
#else
#define GLUE_START lib_start()
#define GLUE_KEY(call) (void)(call);
enum { GLUE_MESSAGE = 0 };
#endif

static uint8_t whole(struct agent_call *call)
{
    GLUE_KEY(call)
    const uint8_t *message = call->in[GLUE_MESSAGE].data;
    uint16_t size = call->in[GLUE_MESSAGE].size;
    uint8_t *out = call->out;
    AGENT_MEASURE(GLUE_START; lib_update(message, size); lib_finish(out));
    call->out_size = DIGEST_BYTES;
    return 0;
}

static uint8_t start(struct agent_call *call)
{
    GLUE_KEY(call)
    AGENT_MEASURE(GLUE_START);
    return 0;
}

static uint8_t update(struct agent_call *call)
{
    const uint8_t *chunk = call->in[0].data;
    uint16_t size = call->in[0].size;
    AGENT_MEASURE(lib_update(chunk, size));
    return 0;
}

static uint8_t finish(struct agent_call *call)
{
    uint8_t *out = call->out;
    AGENT_MEASURE(lib_finish(out));
    call->out_size = DIGEST_BYTES;
    return 0;
}

#if GLUE_MAC
#define GLUE_WHOLE AGENT_OPERATION(MAC, "mac", whole)
#else
#define GLUE_WHOLE AGENT_OPERATION(HASH, "hash", whole)
#endif

AGENT_OPERATIONS(
    GLUE_WHOLE
    AGENT_OPERATION(START, "start", start)
    AGENT_OPERATION(UPDATE, "update", update)
    AGENT_OPERATION(FINISH, "finish", finish))

#endif
