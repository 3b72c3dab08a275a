/*
 * What the hooks of glue_large_signature.h take: a message with its context, and the random bytes of a
 * call.
 */
#ifndef GLUE_MESSAGE_H
#define GLUE_MESSAGE_H

#include "agent.h"
#include "glue_random.h"

struct glue_message {
    const uint8_t *bytes;
    size_t size;
    const uint8_t *context;
    size_t context_size;
};

static inline struct glue_message glue_message_of(const struct agent_call *call)
{
    const struct glue_message message = {call->in[0].data, call->in[0].size, call->in[1].data,
                                         call->in[1].size};
    return message;
}

static const uint8_t *glue_given;
static size_t glue_left_over, glue_taken;

/* The random bytes of a call, and the seed of those after them. */
static inline void glue_give(const uint8_t *bytes, uint16_t size)
{
    glue_given = bytes;
    glue_left_over = size;
    glue_taken = 0;
    glue_seed(bytes, size);
}

/* The library's source of random numbers. */
static inline void glue_drawn(uint8_t *out, size_t size)
{
    const size_t given = size < glue_left_over ? size : glue_left_over;
    memcpy(out, glue_given, given);
    glue_given += given;
    glue_left_over -= given;
    glue_taken += size;
    glue_random(out + given, size - given);
}

#endif
