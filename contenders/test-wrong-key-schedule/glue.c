/*
 * An AES-256 whose key schedule is AES-128's with longer keys: the substitution in the
 * middle of each 256-bit round is missing [FIPS197, 5.2]. Decryption reverses encryption
 * all the same, and the rounds are right.
 */
#include "agent.h"
#include "selo.h"

enum { KEY = 32, BLOCK = 16, SCHEDULE = 240, WORD = 4 };

static struct selo_aes256_fast key;

static uint8_t doubled(uint8_t a) { return (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0)); }

/* AES's S-box [FIPS197, 5.1.1], made once: `a` goes through the powers of 3 and `inverse`
 * through their inverses. */
static uint8_t box[256];

static void make_box(void)
{
    uint8_t a = 1, inverse = 1;
    do {
        a ^= doubled(a);
        inverse ^= (uint8_t)(inverse << 1); /* times 0xf6, which is 1/3 */
        inverse ^= (uint8_t)(inverse << 2);
        inverse ^= (uint8_t)(inverse << 4);
        inverse ^= inverse & 0x80 ? 0x09 : 0;
        uint8_t turned = inverse, sum = 0x63;
        for (uint8_t i = 0; i < 5; i++) {
            sum ^= turned;
            turned = (uint8_t)(turned << 1 | turned >> 7);
        }
        box[a] = sum;
    } while (a != 1);
    box[0] = 0x63;
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
                byte = box[words[at - WORD + (i + 1) % WORD]];
            words[at + i] = (uint8_t)(words[at - KEY + i] ^ byte);
        }
        if (at % KEY == 0) {
            words[at] ^= constant;
            constant = doubled(constant);
        }
    }
}

static uint8_t key_setup(struct agent_call *call)
{
    if (call->in[0].size != KEY)
        return AGENT_BAD_SIZE;
    if (box[0] == 0)
        make_box();
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
