/*
 * A signature scheme of a library. Define the hooks before including this file. Each returns 0, or an
 * error code. PUBLIC_BYTES is the size of a public key. Secrets have 32 bytes, signatures 64.
 *
 *     static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
 *     static int lib_prepare(const uint8_t *secret, const uint8_t *public_key)
 *     static int lib_sign(uint8_t *signature, const uint8_t *message, uint16_t size)
 *     static int lib_prepare_verify(const uint8_t *public_key, const uint8_t *signature)
 *     static int lib_verify(const uint8_t *signature, const uint8_t *message, uint16_t size)
 *
 * GLUE_BEGIN(), if defined, does the work that a program does once. The lib_prepare functions convert
 * keys (and a signature) to the form in which a program with the library keeps or receives them.
 * They are outside the marks. Random numbers come from glue_random(), which the host seeds.
 */
#ifndef GLUE_SIGNATURE_H
#define GLUE_SIGNATURE_H

#include "agent.h"
#include "glue_random.h"
#include "selo.h"

#include <string.h>

#ifndef GLUE_BEGIN
#define GLUE_BEGIN()
#endif

enum { GLUE_SECRET = 32, GLUE_SIGNATURE = 64 };

static uint8_t keygen(struct agent_call *call)
{
    if (call->in[0].size != GLUE_SECRET)
        return AGENT_BAD_SIZE;
    const uint8_t *secret = call->in[0].data;
    uint8_t *public_key = call->out;
    glue_seed(secret, GLUE_SECRET);
    GLUE_BEGIN();
    int failed;
    AGENT_MEASURE(failed = lib_keygen(public_key, secret));
    call->out_size = PUBLIC_BYTES;
    return failed ? SELO_ERROR_ARGUMENT : SELO_OK;
}

static uint8_t sign(struct agent_call *call)
{
    if (call->in[0].size != GLUE_SECRET || call->in[1].size != PUBLIC_BYTES)
        return AGENT_BAD_SIZE;
    glue_seed(call->in[3].data, call->in[3].size);
    GLUE_BEGIN();
    if (lib_prepare(call->in[0].data, call->in[1].data))
        return SELO_ERROR_ARGUMENT;
    const uint8_t *message = call->in[2].data;
    uint16_t size = call->in[2].size;
    uint8_t *signature = call->out;
    int failed;
    AGENT_MEASURE(failed = lib_sign(signature, message, size));
    call->out_size = GLUE_SIGNATURE;
    return failed ? SELO_ERROR_ARGUMENT : SELO_OK;
}

static uint8_t verify(struct agent_call *call)
{
    if (call->in[0].size != PUBLIC_BYTES || call->in[2].size != GLUE_SIGNATURE)
        return AGENT_BAD_SIZE;
    const uint8_t *message = call->in[1].data, *signature = call->in[2].data;
    uint16_t size = call->in[1].size;
    GLUE_BEGIN();
    if (lib_prepare_verify(call->in[0].data, signature))
        return SELO_ERROR_TAG;
    int failed;
    AGENT_MEASURE(failed = lib_verify(signature, message, size));
    return failed ? SELO_ERROR_TAG : SELO_OK;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEYGEN, "keygen", keygen)
    AGENT_OPERATION(SIGN, "sign", sign)
    AGENT_OPERATION(VERIFY, "verify", verify))

#endif
