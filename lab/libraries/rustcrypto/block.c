/* RustCrypto's AES in the lab, one block in each call. */
#include "names.h"

void RC_KEYED(aes, set_encrypt)(const uint8_t *raw);
void RC_KEYED(aes, set_decrypt)(const uint8_t *raw);
void RC_KEYED(aes, encrypt)(uint8_t *out, const uint8_t *in);
void RC_KEYED(aes, decrypt)(uint8_t *out, const uint8_t *in);

#define lib_set_up_encrypt RC_KEYED(aes, set_encrypt)
#define lib_set_up_decrypt RC_KEYED(aes, set_decrypt)
#define lib_encrypt RC_KEYED(aes, encrypt)
#define lib_decrypt RC_KEYED(aes, decrypt)

#include "glue_block.h"
