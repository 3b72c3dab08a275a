/* BearSSL's authenticated ciphers in the lab. They work in place, so the call includes copying the
 * text. */
#include "agent.h"
#include "glue_aead.h"

#include <bearssl_aead.h>
#include <string.h>

#if GLUE_GCM

static LAB_AES(ctr_keys) key;
static br_gcm_context state;

static int lib_set_up(const uint8_t *raw)
{
    LAB_AES(ctr_init)(&key, raw, AGENT_KEY_BYTES);
    br_gcm_init(&state, &key.vtable, br_ghash_ctmul32);
    return 0;
}

static void run(const struct glue_message *m, uint8_t *out, int encrypts)
{
    memcpy(out, m->in, m->size);
    br_gcm_reset(&state, m->nonce, m->nonce_size);
    br_gcm_aad_inject(&state, m->ad, m->ad_size);
    br_gcm_flip(&state);
    br_gcm_run(&state, encrypts, out, m->size);
}

static int lib_seal(const struct glue_message *m, uint8_t *out, uint8_t *tag)
{
    run(m, out, 1);
    br_gcm_get_tag_trunc(&state, tag, m->tag_size);
    return 0;
}

static int lib_open(const struct glue_message *m, uint8_t *out, const uint8_t *tag)
{
    run(m, out, 0);
    return !br_gcm_check_tag_trunc(&state, tag, m->tag_size);
}

#elif GLUE_CCM

static LAB_AES(ctrcbc_keys) key;
static br_ccm_context state;

static int lib_set_up(const uint8_t *raw)
{
    LAB_AES(ctrcbc_init)(&key, raw, AGENT_KEY_BYTES);
    br_ccm_init(&state, &key.vtable);
    return 0;
}

static int run(const struct glue_message *m, uint8_t *out, int encrypts)
{
    if (!br_ccm_reset(&state, m->nonce, m->nonce_size, m->ad_size, m->size, m->tag_size))
        return -1;
    memcpy(out, m->in, m->size);
    br_ccm_aad_inject(&state, m->ad, m->ad_size);
    br_ccm_flip(&state);
    br_ccm_run(&state, encrypts, out, m->size);
    return 0;
}

static int lib_seal(const struct glue_message *m, uint8_t *out, uint8_t *tag)
{
    if (run(m, out, 1))
        return -1;
    br_ccm_get_tag(&state, tag);
    return 0;
}

static int lib_open(const struct glue_message *m, uint8_t *out, const uint8_t *tag)
{
    return run(m, out, 0) || !br_ccm_check_tag(&state, tag);
}

#else

static uint8_t key[32];

static int lib_set_up(const uint8_t *raw)
{
    memcpy(key, raw, sizeof key);
    return 0;
}

static int lib_seal(const struct glue_message *m, uint8_t *out, uint8_t *tag)
{
    memcpy(out, m->in, m->size);
    LAB_POLY1305(key, m->nonce, out, m->size, m->ad, m->ad_size, tag, br_chacha20_ct_run, 1);
    return 0;
}

static int lib_open(const struct glue_message *m, uint8_t *out, const uint8_t *tag)
{
    uint8_t computed[16], differs = 0;
    memcpy(out, m->in, m->size);
    LAB_POLY1305(key, m->nonce, out, m->size, m->ad, m->ad_size, computed, br_chacha20_ct_run, 0);
    for (uint8_t i = 0; i < sizeof computed; i++)
        differs |= (uint8_t)(computed[i] ^ tag[i]);
    return differs;
}

#endif

#include "glue_aead_operations.h"
