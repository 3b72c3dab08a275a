/*
 * ECB under the name of CBC: the IV is drawn and sent, but never added to a block.
 */
#include "agent.h"
#include "selo.h"

#include <string.h>

enum { KEY = 16, BLOCK = 16 };

static struct selo_aes128_fast key;

static void wrong_cbc(uint8_t *out, const uint8_t *iv, const uint8_t *in, uint16_t size)
{
    uint8_t padding = (uint8_t)(BLOCK - size % BLOCK);
    memcpy(out, iv, BLOCK);
    out += BLOCK;
    memcpy(out, in, size);
    memset(out + size, padding, padding);
    for (uint16_t at = 0; at < size + padding; at += BLOCK)
        selo_aes128_fast_encrypt(&key, out + at, out + at);
}

static uint8_t key_setup(struct agent_call *call)
{
    if (call->in[0].size != KEY)
        return AGENT_BAD_SIZE;
    AGENT_MEASURE(selo_aes128_fast_setup(&key, call->in[0].data));
    return SELO_OK;
}

static uint8_t encrypt(struct agent_call *call)
{
    uint16_t size = call->in[1].size;
    if (call->in[0].size != BLOCK || size > AGENT_IO_BYTES - 2 * BLOCK)
        return AGENT_BAD_SIZE;
    AGENT_MEASURE(wrong_cbc(call->out, call->in[0].data, call->in[1].data, size));
    call->out_size = (uint16_t)(BLOCK + size / BLOCK * BLOCK + BLOCK);
    return SELO_OK;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(ENCRYPT, "encrypt", encrypt))
