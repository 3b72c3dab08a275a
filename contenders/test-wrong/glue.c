/*
 * An AES-128 that is wrong in one bit of one constant: the tenth round constant
 * is 0x37 instead of 0x36, which goes through the whole last round key
 * [FIPS197, 5.2]. Decryption reverses encryption all the same: only known answers
 * tell.
 */
#include "agent.h"
#include "selo.h"

enum { KEY = 16, BLOCK = 16, LAST_ROUND_KEY = 160, WORD = 4 };

static struct selo_aes128_fast key;

static void wrong_setup(const uint8_t *raw)
{
    selo_aes128_fast_setup(&key, raw);
    for (uint8_t i = 0; i < BLOCK; i += WORD)
        key.round_keys[LAST_ROUND_KEY + i] ^= 0x36 ^ 0x37;
}

static uint8_t key_setup(struct agent_call *call)
{
    if (call->in[0].size != KEY)
        return AGENT_BAD_SIZE;
    AGENT_MEASURE(wrong_setup(call->in[0].data));
    return SELO_OK;
}

static uint8_t encrypt(struct agent_call *call)
{
    if (call->in[0].size != BLOCK)
        return AGENT_BAD_SIZE;
    AGENT_MEASURE(selo_aes128_fast_encrypt(&key, call->out, call->in[0].data));
    call->out_size = BLOCK;
    return SELO_OK;
}

static uint8_t decrypt(struct agent_call *call)
{
    if (call->in[0].size != BLOCK)
        return AGENT_BAD_SIZE;
    AGENT_MEASURE(selo_aes128_fast_decrypt(&key, call->out, call->in[0].data));
    call->out_size = BLOCK;
    return SELO_OK;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(ENCRYPT, "encrypt", encrypt)
    AGENT_OPERATION(DECRYPT, "decrypt", decrypt))
