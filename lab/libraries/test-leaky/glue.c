/*
 * A correct AES-128 encryption that multiplies in the field with a loop over the bits of the state, as
 * many textbooks do. Its time depends on the state, which is secret.
 */
#include "agent.h"
#include "selo.h"
#include "selo/aes/aes.h"

#include <string.h>

enum { KEY = 16, BLOCK = 16, ROUNDS = 10 };

static struct selo_aes128_fast key;

/* Russian peasant multiplication of `x` and 2. The loop runs as long as x has bits left. */
static uint8_t leaky_double(uint8_t x)
{
    uint8_t product = 0;
    for (uint8_t factor = 2; x != 0; x >>= 1) {
        if (x & 1)
            product ^= factor;
        factor = (uint8_t)((factor << 1) ^ (factor & 0x80 ? 0x1b : 0));
    }
    return product;
}

static void sub_bytes_and_shift_rows(uint8_t state[BLOCK])
{
    uint8_t before[BLOCK];
    memcpy(before, state, BLOCK);
    for (uint8_t i = 0; i < BLOCK; i++)
        state[i] = selo_flash_u8(&selo_aes_sbox[before[(i * 5) % BLOCK]]);
}

static void mix_columns(uint8_t state[BLOCK])
{
    for (uint8_t *s = state; s < state + BLOCK; s += 4) {
        uint8_t all = s[0] ^ s[1] ^ s[2] ^ s[3], first = s[0];
        for (uint8_t i = 0; i < 4; i++)
            s[i] ^= all ^ leaky_double(s[i] ^ (i < 3 ? s[i + 1] : first));
    }
}

static void add_round_key(uint8_t state[BLOCK], uint8_t round)
{
    for (uint8_t i = 0; i < BLOCK; i++)
        state[i] ^= key.round_keys[BLOCK * round + i];
}

static __attribute__((noinline)) void leaky_encrypt(uint8_t *out, const uint8_t *in)
{
    memcpy(out, in, BLOCK);
    add_round_key(out, 0);
    for (uint8_t round = 1; round < ROUNDS; round++) {
        sub_bytes_and_shift_rows(out);
        mix_columns(out);
        add_round_key(out, round);
    }
    sub_bytes_and_shift_rows(out);
    add_round_key(out, ROUNDS);
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
    if (call->in[0].size != BLOCK)
        return AGENT_BAD_SIZE;
    AGENT_MEASURE(leaky_encrypt(call->out, call->in[0].data));
    call->out_size = BLOCK;
    return SELO_OK;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(ENCRYPT, "encrypt", encrypt))
