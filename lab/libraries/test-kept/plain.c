/* Functions and a variable. The linker drops what nothing uses. */
#include "kept.h"
#include "selo.h"

static struct selo_aes128_fast key;

void kept_set_up(const uint8_t *raw) { selo_aes128_fast_setup(&key, raw); }
void kept_encrypt(uint8_t *out, const uint8_t *in) { selo_aes128_fast_encrypt(&key, out, in); }
void kept_decrypt(uint8_t *out, const uint8_t *in) { selo_aes128_fast_decrypt(&key, out, in); }
