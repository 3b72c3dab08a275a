/* LibTomCrypt's AES in the lab, one block in each call. It has one key schedule for both directions. */
#include <stdint.h>
#include <tomcrypt.h>

static symmetric_key key;

static void lib_set_up_encrypt(const uint8_t *raw) { rijndael_setup(raw, AGENT_KEY_BYTES, 0, &key); }

static void lib_encrypt(uint8_t *out, const uint8_t *in) { rijndael_ecb_encrypt(in, out, &key); }
static void lib_decrypt(uint8_t *out, const uint8_t *in) { rijndael_ecb_decrypt(in, out, &key); }

#define GLUE_ONE_SCHEDULE
#include "glue_block.h"
