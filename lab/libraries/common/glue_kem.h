/*
 * A key encapsulation of a library. Define the hooks before including this file. Each returns 0, or
 * an error code. PUBLIC_BYTES, PRIVATE_BYTES and CIPHERTEXT_BYTES are the sizes.
 *
 *     static int lib_keygen(uint8_t *public_key, uint8_t *private_key, const uint8_t *seed)
 *     static int lib_encapsulate(uint8_t *ciphertext, uint8_t *secret, const uint8_t *public_key,
 *                                const uint8_t *random)
 *     static int lib_decapsulate(uint8_t *secret, const uint8_t *private_key,
 *                                const uint8_t *ciphertext)
 *     static int lib_check(const uint8_t *private_key)      with GLUE_CHECKS
 *
 * The keys and the ciphertext are here and nowhere else. The host passes them in pieces, outside the
 * marks. A program that calls one operation has only the parts that it needs.
 */
#ifndef GLUE_KEM_H
#define GLUE_KEM_H

#include "agent.h"
#include "selo.h"

#include <string.h>

enum { GLUE_SEED = 64, GLUE_RANDOM = 32, GLUE_SECRET = 32 };

static uint8_t public_key[PUBLIC_BYTES], private_key[PRIVATE_BYTES], ciphertext[CIPHERTEXT_BYTES];

#define GLUE_PARTS {public_key, private_key, ciphertext}
#define GLUE_PART_SIZES {PUBLIC_BYTES, PRIVATE_BYTES, CIPHERTEXT_BYTES}
#include "glue_parts.h"

static uint8_t keygen(struct agent_call *call)
{
    if (call->in[0].size != GLUE_SEED)
        return AGENT_BAD_SIZE;
    const uint8_t *seed = call->in[0].data;
    int failed;
    AGENT_MEASURE(failed = lib_keygen(public_key, private_key, seed));
    return failed ? SELO_ERROR_ARGUMENT : SELO_OK;
}

static uint8_t encapsulate(struct agent_call *call)
{
    if (call->in[0].size != GLUE_RANDOM)
        return AGENT_BAD_SIZE;
    const uint8_t *random = call->in[0].data;
    uint8_t *secret = call->out;
    int failed;
    AGENT_MEASURE(failed = lib_encapsulate(ciphertext, secret, public_key, random));
    call->out_size = GLUE_SECRET;
    return failed ? SELO_ERROR_KEY : SELO_OK;
}

static uint8_t decapsulate(struct agent_call *call)
{
    uint8_t *secret = call->out;
    int failed;
    AGENT_MEASURE(failed = lib_decapsulate(secret, private_key, ciphertext));
    call->out_size = GLUE_SECRET;
    return failed ? SELO_ERROR_KEY : SELO_OK;
}

#ifdef GLUE_CHECKS
static uint8_t check(struct agent_call *call)
{
    (void)call;
    int failed;
    AGENT_MEASURE(failed = lib_check(private_key));
    return failed ? SELO_ERROR_KEY : SELO_OK;
}
#define GLUE_CHECK AGENT_OPERATION(CHECK, "check", check)
#else
#define GLUE_CHECK
#endif

AGENT_OPERATIONS(
    AGENT_OPERATION(KEYGEN, "keygen", keygen)
    AGENT_OPERATION(ENCAPSULATE, "encapsulate", encapsulate)
    AGENT_OPERATION(DECAPSULATE, "decapsulate", decapsulate)
    GLUE_CHECK
    AGENT_OPERATION(LOAD, "load", load)
    AGENT_OPERATION(FETCH, "fetch", fetch))

#endif
