/* LibTomCrypt's authenticated ciphers in the lab. */
#include "agent.h"
#include "glue_aead.h"

#include <stdint.h>
#include <tomcrypt.h>

#if GLUE_GCM

static gcm_state state;

static int lib_set_up(const uint8_t *raw)
{
    return gcm_init(&state, register_cipher(&aes_desc), raw, AGENT_KEY_BYTES);
}

static int begin(const struct glue_message *m)
{
    return gcm_reset(&state) || gcm_add_iv(&state, m->nonce, m->nonce_size)
           || gcm_add_aad(&state, m->ad, m->ad_size);
}

/* The library's functions take read-only arguments without const. */
static int lib_seal(const struct glue_message *m, uint8_t *out, uint8_t *tag)
{
    unsigned long tag_size = m->tag_size;
    return begin(m) || gcm_process(&state, (uint8_t *)m->in, m->size, out, GCM_ENCRYPT)
           || gcm_done(&state, tag, &tag_size);
}

static int lib_open(const struct glue_message *m, uint8_t *out, const uint8_t *tag)
{
    uint8_t computed[16];
    unsigned long tag_size = sizeof computed;
    return begin(m) || gcm_process(&state, out, m->size, (uint8_t *)m->in, GCM_DECRYPT)
           || gcm_done(&state, computed, &tag_size) || mem_neq(computed, tag, m->tag_size);
}

#elif GLUE_CCM

static symmetric_key key;
static int cipher;

static int lib_set_up(const uint8_t *raw)
{
    cipher = register_cipher(&aes_desc);
    return aes_desc.setup(raw, AGENT_KEY_BYTES, 0, &key);
}

static int lib_seal(const struct glue_message *m, uint8_t *out, uint8_t *tag)
{
    unsigned long tag_size = m->tag_size;
    return ccm_memory(cipher, NULL, 0, &key, m->nonce, m->nonce_size, m->ad, m->ad_size,
                      (uint8_t *)m->in, m->size, out, tag, &tag_size, CCM_ENCRYPT);
}

static int lib_open(const struct glue_message *m, uint8_t *out, const uint8_t *tag)
{
    unsigned long tag_size = m->tag_size;
    return ccm_memory(cipher, NULL, 0, &key, m->nonce, m->nonce_size, m->ad, m->ad_size, out,
                      m->size, (uint8_t *)m->in, (uint8_t *)tag, &tag_size, CCM_DECRYPT);
}

#else

static uint8_t key[32];

static int lib_set_up(const uint8_t *raw)
{
    XMEMCPY(key, raw, sizeof key);
    return 0;
}

static int lib_seal(const struct glue_message *m, uint8_t *out, uint8_t *tag)
{
    unsigned long tag_size = m->tag_size;
    return chacha20poly1305_memory(key, sizeof key, m->nonce, m->nonce_size, m->ad, m->ad_size,
                                   m->in, m->size, out, tag, &tag_size, CHACHA20POLY1305_ENCRYPT);
}

/* The library computes the tag and leaves the comparison to its caller. */
static int lib_open(const struct glue_message *m, uint8_t *out, const uint8_t *tag)
{
    uint8_t computed[16];
    unsigned long tag_size = sizeof computed;
    return chacha20poly1305_memory(key, sizeof key, m->nonce, m->nonce_size, m->ad, m->ad_size,
                                   m->in, m->size, out, computed, &tag_size,
                                   CHACHA20POLY1305_DECRYPT)
           || mem_neq(computed, tag, m->tag_size);
}

#endif

#include "glue_aead_operations.h"
