/*
 * RSA-2048 of a library. Define the hooks before including this file. Each returns 0, or an error
 * code. The library makes and keeps the key pair.
 *
 *     static int lib_keygen(void)
 *     static void lib_public_key(uint8_t *modulus)            outside the marks
 *     static int lib_encrypt(uint8_t *out, const uint8_t *message, uint16_t size)
 *     static int lib_decrypt(uint8_t *out, uint16_t *size, const uint8_t *ciphertext)
 *
 * Random numbers come from glue_random(), which the host seeds before key generation; encryption
 * continues the sequence. The time of key generation depends on them, so the host uses several seeds.
 */
#ifndef GLUE_PUBLIC_KEY_H
#define GLUE_PUBLIC_KEY_H

#include "agent.h"
#include "glue_random.h"
#include "glue_rsa.h"
#include "selo.h"

static uint8_t keygen(struct agent_call *call)
{
    if (call->in[0].size == 0)
        return AGENT_BAD_SIZE;
    glue_seed(call->in[0].data, call->in[0].size);
    int failed;
    AGENT_MEASURE(failed = lib_keygen());
    if (failed)
        return SELO_ERROR_RANDOM;
    lib_public_key(call->out);
    call->out_size = GLUE_MODULUS;
    return SELO_OK;
}

static uint8_t encrypt(struct agent_call *call)
{
    const uint8_t *message = call->in[0].data;
    uint16_t size = call->in[0].size;
    uint8_t *out = call->out;
    int failed;
    AGENT_MEASURE(failed = lib_encrypt(out, message, size));
    call->out_size = GLUE_MODULUS;
    return failed ? SELO_ERROR_ARGUMENT : SELO_OK;
}

static uint8_t decrypt(struct agent_call *call)
{
    if (call->in[0].size != GLUE_MODULUS)
        return AGENT_BAD_SIZE;
    const uint8_t *in = call->in[0].data;
    uint8_t *out = call->out;
    uint16_t size = 0;
    int failed;
    AGENT_MEASURE(failed = lib_decrypt(out, &size, in));
    call->out_size = failed ? 0 : size;
    return failed ? SELO_ERROR_PADDING : SELO_OK;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEYGEN, "keygen", keygen)
    AGENT_OPERATION(ENCRYPT, "encrypt", encrypt)
    AGENT_OPERATION(DECRYPT, "decrypt", decrypt))

#endif
