/* BearSSL's AES-CBC and AES-CTR in the lab. LAB_AES(name) is a name of the implementation. */
#include "glue_mode.h"

#include <bearssl_block.h>

#if GLUE_CBC
static LAB_AES(cbcenc_keys) encrypting;
static LAB_AES(cbcdec_keys) decrypting;

static void lib_set_up_encrypt(const uint8_t *raw)
{
    LAB_AES(cbcenc_init)(&encrypting, raw, AGENT_KEY_BYTES);
}

static void lib_set_up_decrypt(const uint8_t *raw)
{
    LAB_AES(cbcdec_init)(&decrypting, raw, AGENT_KEY_BYTES);
}

static void lib_cbc(bool encrypts, uint8_t *iv, uint8_t *data, agent_size size)
{
    if (encrypts)
        LAB_AES(cbcenc_run)(&encrypting, iv, data, size);
    else
        LAB_AES(cbcdec_run)(&decrypting, iv, data, size);
}

#else

#include <string.h>

static LAB_AES(ctrcbc_keys) encrypting;

static void lib_set_up_encrypt(const uint8_t *raw)
{
    LAB_AES(ctrcbc_init)(&encrypting, raw, AGENT_KEY_BYTES);
}

/* The library has two CTRs; this one has a counter of all 128 bits. It takes whole blocks, in
 * place. */
static void lib_ctr(uint8_t *counter, uint8_t *out, const uint8_t *in, agent_size size)
{
    agent_size whole = size - size % 16;
    memcpy(out, in, whole);
    LAB_AES(ctrcbc_ctr)(&encrypting, counter, out, whole);
    if (size > whole) {
        uint8_t block[16] = {0};
        memcpy(block, in + whole, (size_t)(size - whole));
        LAB_AES(ctrcbc_ctr)(&encrypting, counter, block, sizeof block);
        memcpy(out + whole, block, (size_t)(size - whole));
    }
}
#endif

#include "glue_mode_operations.h"
