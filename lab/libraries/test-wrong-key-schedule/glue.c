/*
 * An AES-256 with the key schedule of AES-128 and longer keys: the substitution in the middle of each
 * 256-bit round is missing [FIPS197, 5.2]. Decryption still reverses encryption, and the rounds are
 * correct.
 */
#include "selo.h"

enum { KEY = 32, SCHEDULE = 240, WORD = 4 };

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

static void lib_set_up_encrypt(const uint8_t *raw)
{
    uint8_t *words = key.round_keys, constant = 1;
    if (box[0] == 0)
        make_box();
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

#define GLUE_ONE_SCHEDULE 1
static void lib_encrypt(uint8_t *out, const uint8_t *in) { selo_aes256_fast_encrypt(&key, out, in); }
static void lib_decrypt(uint8_t *out, const uint8_t *in) { selo_aes256_fast_decrypt(&key, out, in); }

#include "glue_block.h"
