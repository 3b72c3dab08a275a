/*
 * AES-128-CBC that is correct except for its IV, which ignores the random source. The IV is fixed, zero, a
 * counter, the last block of the previous message, from an unseeded generator, or random in one
 * half only.
 */
#include "agent.h"
#include "selo_unauthenticated.h"

#include <string.h>

enum { KEY = 16, BLOCK = 16 };

static struct selo_aes128_fast key;
static uint8_t state[BLOCK] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static enum selo_status wrong_random(void *source, uint8_t *out, size_t size)
{
    const struct agent_field *given = source;
    if (size != BLOCK || given->size != BLOCK)
        return SELO_ERROR_RANDOM;
#if AGENT_VARIANT_ZERO
    memset(state, 0, BLOCK);
#elif AGENT_VARIANT_COUNTER
    for (uint8_t i = BLOCK; i-- > 0 && ++state[i] == 0;)
        ;
#elif AGENT_VARIANT_UNSEEDED
    for (uint8_t i = 0; i < BLOCK; i++)
        state[i] = (uint8_t)(state[i] * 77 + state[(i + 5) % BLOCK] + 29);
#elif AGENT_VARIANT_HALF
    memcpy(state, given->data, BLOCK / 2);
#endif
    memcpy(out, state, BLOCK);
    return SELO_OK;
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
    const uint8_t *in = call->in[1].data;
    uint16_t size = call->in[1].size;
    size_t out_size = 0;
    enum selo_status status;
    AGENT_MEASURE(status = selo_cbc_encrypt(selo_aes128_fast_cipher(&key), wrong_random,
                                            &call->in[0], call->out, AGENT_IO_BYTES, &out_size,
                                            in, size));
    call->out_size = (uint16_t)out_size;
#if AGENT_VARIANT_CHAINED
    memcpy(state, call->out + out_size - BLOCK, BLOCK);
#endif
    return (uint8_t)status;
}

static uint8_t decrypt(struct agent_call *call)
{
    const uint8_t *in = call->in[0].data;
    uint16_t size = call->in[0].size;
    size_t out_size = 0;
    enum selo_status status;
    AGENT_MEASURE(status = selo_cbc_decrypt(selo_aes128_fast_inverse(&key), call->out,
                                            AGENT_IO_BYTES, &out_size, in, size));
    call->out_size = (uint16_t)out_size;
    return (uint8_t)status;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(ENCRYPT, "encrypt", encrypt)
    AGENT_OPERATION(DECRYPT, "decrypt", decrypt))
