/*
 * A signature scheme with large keys. Define the hooks before including this file. Each returns 0, or
 * an error code. PUBLIC_BYTES, PRIVATE_BYTES, SIGNATURE_BYTES (the most), SEED_BYTES and RANDOM_BYTES
 * are the sizes.
 *
 *     static int lib_keygen(uint8_t *public_key, uint8_t *private_key, const uint8_t *seed)
 *     static int lib_sign(uint8_t *signature, size_t *size, const struct glue_message *message,
 *                         const uint8_t *private_key)
 *     static int lib_verify(const uint8_t *signature, size_t size,
 *                           const struct glue_message *message, const uint8_t *public_key)
 *
 * With GLUE_VERIFIES_ONLY, there are lib_verify, PUBLIC_BYTES and SIGNATURE_BYTES alone, and the manifest
 * names the operations verify, load and fetch.
 *
 * With GLUE_NO_CONTEXT, messages have no context, and a call with one is refused.
 *
 * The library's random numbers come from glue_drawn(): the seed or the random bytes of the call, then a
 * generator that they seed. It counts what it gave, so that the host knows whether the vector's random
 * bytes decided.
 *
 * The keys and the signature are here and nowhere else. The host passes them in pieces. A program that
 * calls one operation has only the parts that it needs.
 */
#ifndef GLUE_LARGE_SIGNATURE_H
#define GLUE_LARGE_SIGNATURE_H

#include "agent.h"
#include "selo.h"

#include <string.h>

#ifdef GLUE_VERIFIES_ONLY
enum { PRIVATE_BYTES = 1 };
#endif

static uint8_t public_key[PUBLIC_BYTES], private_key[PRIVATE_BYTES], signature[SIGNATURE_BYTES];

#define GLUE_PARTS {public_key, private_key, signature}
#define GLUE_PART_SIZES {PUBLIC_BYTES, PRIVATE_BYTES, SIGNATURE_BYTES}
#include "glue_parts.h"

#ifndef GLUE_VERIFIES_ONLY
static uint8_t keygen(struct agent_call *call)
{
    if (call->in[0].size != SEED_BYTES)
        return AGENT_BAD_SIZE;
    const uint8_t *seed = call->in[0].data;
    glue_give(seed, SEED_BYTES);
    int failed;
    AGENT_MEASURE(failed = lib_keygen(public_key, private_key, seed));
    return failed ? SELO_ERROR_ARGUMENT : SELO_OK;
}
#endif

/* False if the library cannot take the context. */
static int glue_takes(const struct agent_call *call)
{
#ifdef GLUE_NO_CONTEXT
    return call->in[1].size == 0;
#else
    (void)call;
    return 1;
#endif
}

#ifndef GLUE_VERIFIES_ONLY
/* Gives the size of the signature in two bytes, or in four if the largest has more than 65,535, and the
 * number of random bytes that it took, at most 255. */
static uint8_t sign(struct agent_call *call)
{
    if (call->in[2].size != RANDOM_BYTES || !glue_takes(call))
        return AGENT_BAD_SIZE;
    glue_give(call->in[2].data, RANDOM_BYTES);
    const struct glue_message message = glue_message_of(call);
    size_t size = 0;
    int failed;
    AGENT_MEASURE(failed = lib_sign(signature, &size, &message, private_key));
    uint8_t *out = call->out;
#ifdef GLUE_LARGE_PARTS
    if (SIGNATURE_BYTES > UINT16_MAX) {
        *out++ = (uint8_t)(size >> 24);
        *out++ = (uint8_t)(size >> 16);
    }
#endif
    out[0] = (uint8_t)(size >> 8);
    out[1] = (uint8_t)size;
    out[2] = (uint8_t)(glue_taken < 255 ? glue_taken : 255);
    call->out_size = (uint16_t)(out + 3 - call->out);
    return failed ? SELO_ERROR_ARGUMENT : SELO_OK;
}
#endif

/* in[2] begins with the size of the signature. */
static uint8_t verify(struct agent_call *call)
{
    if (call->in[2].size < 2 || !glue_takes(call))
        return AGENT_BAD_SIZE;
    const size_t size = glue_place_of(&call->in[2]);
    if (size > SIGNATURE_BYTES)
        return AGENT_BAD_SIZE;
    const struct glue_message message = glue_message_of(call);
    int failed;
    AGENT_MEASURE(failed = lib_verify(signature, size, &message, public_key));
    return failed ? SELO_ERROR_TAG : SELO_OK;
}

#ifdef GLUE_VERIFIES_ONLY
AGENT_OPERATIONS(
    AGENT_OPERATION(VERIFY, "verify", verify)
    AGENT_OPERATION(LOAD, "load", load)
    AGENT_OPERATION(FETCH, "fetch", fetch))
#else
AGENT_OPERATIONS(
    AGENT_OPERATION(KEYGEN, "keygen", keygen)
    AGENT_OPERATION(SIGN, "sign", sign)
    AGENT_OPERATION(VERIFY, "verify", verify)
    AGENT_OPERATION(LOAD, "load", load)
    AGENT_OPERATION(FETCH, "fetch", fetch))
#endif

#endif
