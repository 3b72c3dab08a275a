/* Cifra's AES in the lab, one block in each call. It has one key schedule for both directions. */
#include <aes.h>

#define GLUE_ONE_SCHEDULE 1

static cf_aes_context key;

static void lib_set_up_encrypt(const uint8_t *raw) { cf_aes_init(&key, raw, AGENT_KEY_BYTES); }

static void lib_encrypt(uint8_t *out, const uint8_t *in) { cf_aes_encrypt(&key, in, out); }

static void lib_decrypt(uint8_t *out, const uint8_t *in) { cf_aes_decrypt(&key, in, out); }

#include "glue_block.h"
