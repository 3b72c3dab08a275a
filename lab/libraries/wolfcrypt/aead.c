/* wolfCrypt's authenticated ciphers in the lab. */
#include "glue_aead.h"

#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/chacha20_poly1305.h>

#if GLUE_GCM || GLUE_CCM

static Aes key;

#if GLUE_GCM
#define LAB(name) wc_AesGcm##name
#else
#define LAB(name) wc_AesCcm##name
#endif

static int lib_set_up(const uint8_t *raw) { return LAB(SetKey)(&key, raw, AGENT_KEY_BYTES); }

static int lib_seal(const struct glue_message *m, uint8_t *out, uint8_t *tag)
{
    return LAB(Encrypt)(&key, out, m->in, m->size, m->nonce, m->nonce_size, tag, m->tag_size,
                        m->ad, m->ad_size);
}

static int lib_open(const struct glue_message *m, uint8_t *out, const uint8_t *tag)
{
    return LAB(Decrypt)(&key, out, m->in, m->size, m->nonce, m->nonce_size, tag, m->tag_size,
                        m->ad, m->ad_size);
}

#else

#include <string.h>

static uint8_t key[32];

static int lib_set_up(const uint8_t *raw)
{
    memcpy(key, raw, sizeof key);
    return 0;
}

static int lib_seal(const struct glue_message *m, uint8_t *out, uint8_t *tag)
{
    return wc_ChaCha20Poly1305_Encrypt(key, m->nonce, m->ad, m->ad_size, m->in, m->size, out, tag);
}

static int lib_open(const struct glue_message *m, uint8_t *out, const uint8_t *tag)
{
    return wc_ChaCha20Poly1305_Decrypt(key, m->nonce, m->ad, m->ad_size, m->in, m->size, tag, out);
}

#endif

#include "glue_aead_operations.h"
