/*
 * Selo's block ciphers in the lab: key-setup, encrypt, decrypt of one block.
 * The manifest defines SELO_CIPHER, the struct's name without `struct`.
 */
#include "agent.h"
#include "names.h"
#include "selo.h"
#include "selo_speck.h"

enum { BLOCK = 16 };

static struct SELO_CIPHER key;

static uint8_t key_setup(struct agent_call *call)
{
    if (call->in[0].size != AGENT_KEY_BYTES)
        return AGENT_BAD_SIZE;
    const uint8_t *raw = call->in[0].data;
    AGENT_MEASURE(SELO_NAME(SELO_CIPHER, _setup)(&key, raw));
    return SELO_OK;
}

static uint8_t encrypt(struct agent_call *call)
{
    if (call->in[0].size != BLOCK)
        return AGENT_BAD_SIZE;
    const uint8_t *in = call->in[0].data;
    uint8_t *out = call->out;
    AGENT_MEASURE(SELO_NAME(SELO_CIPHER, _encrypt)(&key, out, in));
    call->out_size = BLOCK;
    return SELO_OK;
}

#if AGENT_VARIANT_TINY

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(ENCRYPT, "encrypt", encrypt))

#else

static uint8_t decrypt(struct agent_call *call)
{
    if (call->in[0].size != BLOCK)
        return AGENT_BAD_SIZE;
    const uint8_t *in = call->in[0].data;
    uint8_t *out = call->out;
    AGENT_MEASURE(SELO_NAME(SELO_CIPHER, _decrypt)(&key, out, in));
    call->out_size = BLOCK;
    return SELO_OK;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(ENCRYPT, "encrypt", encrypt)
    AGENT_OPERATION(DECRYPT, "decrypt", decrypt))

#endif
