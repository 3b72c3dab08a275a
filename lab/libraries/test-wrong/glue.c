/*
 * An AES-128 with one wrong bit in one constant: the tenth round constant is 0x37 instead of 0x36,
 * which changes the whole last round key [FIPS197, 5.2]. Decryption still reverses encryption, so
 * only known answers reveal the fault.
 */
#include "selo.h"

enum { BLOCK = 16, LAST_ROUND_KEY = 160, WORD = 4 };

static struct selo_aes128_fast key;

static void lib_set_up_encrypt(const uint8_t *raw)
{
    selo_aes128_fast_setup(&key, raw);
    for (uint8_t i = 0; i < BLOCK; i += WORD)
        key.round_keys[LAST_ROUND_KEY + i] ^= 0x36 ^ 0x37;
}

#define GLUE_ONE_SCHEDULE 1
static void lib_encrypt(uint8_t *out, const uint8_t *in) { selo_aes128_fast_encrypt(&key, out, in); }
static void lib_decrypt(uint8_t *out, const uint8_t *in) { selo_aes128_fast_decrypt(&key, out, in); }

#include "glue_block.h"
