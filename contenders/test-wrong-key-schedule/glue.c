/*
 * An AES-256 whose key schedule is AES-128's with longer keys: the substitution in the
 * middle of each 256-bit round is missing [FIPS197, 5.2]. Decryption reverses encryption
 * all the same, and the rounds are right.
 */
#include "agent.h"
#include "selo.h"

enum { KEY = 32, BLOCK = 16, SCHEDULE = 240, WORD = 4 };

static struct selo_aes256_fast key;

/* AES's S-box, from its definition: bit by bit, for it is no measured code. */
static uint8_t multiply(uint8_t a, uint8_t b)
{
    uint8_t product = 0;
    for (; b != 0; b >>= 1) {
        if (b & 1)
            product ^= a;
        a = (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
    }
    return product;
}

static uint8_t substitute(uint8_t byte)
{
    uint8_t inverse = 1, sum = 0x63;
    for (uint8_t i = 0; i < 254; i++)
        inverse = multiply(inverse, byte);
    for (uint8_t i = 0; i < 5; i++) {
        sum ^= inverse;
        inverse = (uint8_t)(inverse << 1 | inverse >> 7);
    }
    return sum;
}

static void wrong_setup(const uint8_t *raw)
{
    uint8_t *words = key.round_keys, constant = 1;
    for (uint8_t i = 0; i < KEY; i++)
        words[i] = raw[i];
    for (uint8_t at = KEY; at < SCHEDULE; at += WORD) {
        for (uint8_t i = 0; i < WORD; i++) {
            uint8_t byte = words[at - WORD + i];
            if (at % KEY == 0)
                byte = substitute(words[at - WORD + (i + 1) % WORD]);
            words[at + i] = (uint8_t)(words[at - KEY + i] ^ byte);
        }
        if (at % KEY == 0) {
            words[at] ^= constant;
            constant = multiply(constant, 2);
        }
    }
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
    AGENT_MEASURE(selo_aes256_fast_encrypt(&key, call->out, call->in[0].data));
    call->out_size = BLOCK;
    return SELO_OK;
}

static uint8_t decrypt(struct agent_call *call)
{
    if (call->in[0].size != BLOCK)
        return AGENT_BAD_SIZE;
    AGENT_MEASURE(selo_aes256_fast_decrypt(&key, call->out, call->in[0].data));
    call->out_size = BLOCK;
    return SELO_OK;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(ENCRYPT, "encrypt", encrypt)
    AGENT_OPERATION(DECRYPT, "decrypt", decrypt))
