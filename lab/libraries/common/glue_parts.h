/*
 * Parts that the glue keeps, and the operations with which the host passes them in pieces, outside the
 * marks. GLUE_PARTS and GLUE_PART_SIZES are the initialisers of three parts and of their sizes.
 *
 * Offsets have two bytes. With GLUE_LARGE_PARTS, those above 65,535 have four; other images stay as they are.
 */
#ifndef GLUE_PARTS_H
#define GLUE_PARTS_H

#include "agent.h"

#include <string.h>

static uint16_t glue_two(const struct agent_field *field)
{
    return (uint16_t)((uint16_t)field->data[0] << 8 | field->data[1]);
}

#ifdef GLUE_LARGE_PARTS
typedef uint32_t glue_place;
#define GLUE_PLACE_BYTES(size) ((size) == 2 || (size) == 4)

static glue_place glue_place_of(const struct agent_field *field)
{
    const uint32_t first = glue_two(field);
    return field->size < 4 ? first : first << 16 | (uint32_t)field->data[2] << 8 | field->data[3];
}
#else
typedef uint16_t glue_place;
#define GLUE_PLACE_BYTES(size) ((size) == 2)
#define glue_place_of glue_two
#endif

/* The bytes of a part from an offset, or 0 if it has not so many. in[0] is the part, in[1] the
 * offset. */
static uint8_t *glue_part(const struct agent_call *call, uint16_t bytes)
{
    static uint8_t *const parts[] = GLUE_PARTS;
    static const glue_place sizes[] = GLUE_PART_SIZES;
    if (call->in[0].size != 1 || !GLUE_PLACE_BYTES(call->in[1].size) || call->in[0].data[0] >= 3)
        return 0;
    const uint8_t part = call->in[0].data[0];
    const glue_place offset = glue_place_of(&call->in[1]);
    return offset <= sizes[part] && bytes <= sizes[part] - offset ? parts[part] + offset : 0;
}

static uint8_t load(struct agent_call *call)
{
    uint8_t *to = glue_part(call, call->in[2].size);
    if (!to)
        return AGENT_BAD_SIZE;
    memcpy(to, call->in[2].data, call->in[2].size);
    return 0;
}

static uint8_t fetch(struct agent_call *call)
{
    const uint16_t bytes = call->in[2].size == 2 ? glue_two(&call->in[2]) : UINT16_MAX;
    const uint8_t *from = bytes <= AGENT_IO_BYTES ? glue_part(call, bytes) : 0;
    if (!from)
        return AGENT_BAD_SIZE;
    memcpy(call->out, from, bytes);
    call->out_size = bytes;
    return 0;
}

#endif
