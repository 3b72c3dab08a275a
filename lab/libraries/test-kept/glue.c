#include "kept.h"

#define GLUE_ONE_SCHEDULE 1
static void lib_set_up_encrypt(const uint8_t *raw) { kept_set_up(raw); }
static void lib_encrypt(uint8_t *out, const uint8_t *in) { kept_encrypt(out, in); }
static void lib_decrypt(uint8_t *out, const uint8_t *in) { kept_decrypt(out, in); }

#include "glue_block.h"
