/* RustCrypto's AES in ECB, CBC and CTR in the lab. */
#include "glue_mode.h"
#include "names.h"

#include <string.h>

void RC_KEYED(aes, set_encrypt)(const uint8_t *raw);
void RC_KEYED(aes, set_decrypt)(const uint8_t *raw);
void RC_KEYED(aes, ecb_encrypt)(uint8_t *data, uint16_t size);
void RC_KEYED(aes, ecb_decrypt)(uint8_t *data, uint16_t size);
void RC_KEYED(aes, cbc_encrypt)(const uint8_t *iv, uint8_t *data, uint16_t size);
void RC_KEYED(aes, cbc_decrypt)(const uint8_t *iv, uint8_t *data, uint16_t size);
void RC_KEYED(aes, ctr)(const uint8_t *counter, uint8_t *data, uint16_t size);

#define lib_set_up_encrypt RC_KEYED(aes, set_encrypt)
#define lib_set_up_decrypt RC_KEYED(aes, set_decrypt)

#if GLUE_ECB

static void lib_ecb(bool encrypts, uint8_t *out, const uint8_t *in, agent_size size)
{
    memcpy(out, in, size);
    if (encrypts)
        RC_KEYED(aes, ecb_encrypt)(out, size);
    else
        RC_KEYED(aes, ecb_decrypt)(out, size);
}

#elif GLUE_CBC

static void lib_cbc(bool encrypts, uint8_t *iv, uint8_t *data, agent_size size)
{
    if (encrypts)
        RC_KEYED(aes, cbc_encrypt)(iv, data, size);
    else
        RC_KEYED(aes, cbc_decrypt)(iv, data, size);
}

#else

static void lib_ctr(uint8_t *counter, uint8_t *out, const uint8_t *in, agent_size size)
{
    memcpy(out, in, size);
    RC_KEYED(aes, ctr)(counter, out, size);
}

#endif

#include "glue_mode_operations.h"
