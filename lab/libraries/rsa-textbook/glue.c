/*
 * The textbook RSA-2048 in the lab: keygen, encrypt, decrypt.
 */
#include "agent.h"
#include "rsa_textbook.h"

static uint8_t keygen(struct agent_call *call)
{
    const uint8_t *seed = call->in[0].data;
    const uint16_t seed_size = call->in[0].size;
    if (seed_size == 0)
        return AGENT_BAD_SIZE;
    AGENT_MEASURE(rsa_keygen(seed, seed_size));
    rsa_to_bytes(call->out, rsa_public.n, RSA_LIMBS);
    call->out_size = RSA_BYTES;
    return RSA_OK;
}

static uint8_t encrypt(struct agent_call *call)
{
    const uint8_t *message = call->in[0].data;
    const uint16_t size = call->in[0].size;
    uint8_t *out = call->out;
    enum rsa_status status;
    AGENT_MEASURE(status = rsa_encrypt(out, message, size));
    call->out_size = RSA_BYTES;
    return (uint8_t)status;
}

static uint8_t decrypt(struct agent_call *call)
{
    if (call->in[0].size != RSA_BYTES)
        return AGENT_BAD_SIZE;
    const uint8_t *in = call->in[0].data;
    uint8_t *out = call->out;
    uint16_t size;
    enum rsa_status status;
    AGENT_MEASURE(status = rsa_decrypt(out, &size, in));
    call->out_size = size;
    return (uint8_t)status;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEYGEN, "keygen", keygen)
    AGENT_OPERATION(ENCRYPT, "encrypt", encrypt)
    AGENT_OPERATION(DECRYPT, "decrypt", decrypt))
