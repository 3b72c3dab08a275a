/*
 * A key agreement of a library. Define the hooks before including this file. Each returns 0, or an
 * error code. PUBLIC_BYTES is the size of a public key. Secrets and shared secrets have 32 bytes.
 *
 *     static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
 *     static int lib_shared(uint8_t *shared, const uint8_t *secret, const uint8_t *peer)
 *
 * GLUE_BEGIN(), if defined, does the work that a program does once, such as loading a curve. It is
 * outside the marks.
 *
 * X25519 must refuse a peer that yields the all-zero secret [RFC7748, 6.1]. If a library leaves this
 * check to its caller, the glue does it, outside the marks.
 */
#ifndef GLUE_DH_H
#define GLUE_DH_H

#include "agent.h"
#include "glue_random.h"
#include "selo.h"

#include <string.h>

#ifndef GLUE_BEGIN
#define GLUE_BEGIN()
#endif

#if AGENT_ALGORITHM_X25519
#define GLUE_REFUSES_ZERO 1
#else
#define GLUE_REFUSES_ZERO 0 /* on this curve the point with first coordinate 0 is an ordinary point */
#endif

enum { GLUE_SECRET = 32 };

static uint8_t keygen(struct agent_call *call)
{
    if (call->in[0].size != GLUE_SECRET)
        return AGENT_BAD_SIZE;
    const uint8_t *secret = call->in[0].data;
    uint8_t *public_key = call->out;
    int failed;
    glue_seed(secret, GLUE_SECRET);
    GLUE_BEGIN();
    AGENT_MEASURE(failed = lib_keygen(public_key, secret));
    call->out_size = PUBLIC_BYTES;
    return failed ? SELO_ERROR_ARGUMENT : SELO_OK;
}

static uint8_t shared_secret(struct agent_call *call)
{
    if (call->in[0].size != GLUE_SECRET || call->in[1].size != PUBLIC_BYTES)
        return AGENT_BAD_SIZE;
    const uint8_t *secret = call->in[0].data, *peer = call->in[1].data;
    uint8_t *shared = call->out, any = 0;
    int failed;
    glue_seed(secret, GLUE_SECRET);
    GLUE_BEGIN();
    AGENT_MEASURE(failed = lib_shared(shared, secret, peer));
    for (uint8_t i = 0; i < GLUE_SECRET; i++)
        any |= shared[i];
    if (failed)
        memset(shared, 0, GLUE_SECRET);
    call->out_size = GLUE_SECRET;
    return failed || (GLUE_REFUSES_ZERO && any == 0) ? SELO_ERROR_KEY : SELO_OK;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEYGEN, "keygen", keygen)
    AGENT_OPERATION(SHARED_SECRET, "shared-secret", shared_secret))

#endif
