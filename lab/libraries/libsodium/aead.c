/* libsodium's ChaCha20-Poly1305 in the lab. */
#include "agent.h"
#include "glue_aead.h"

#include <crypto_aead_chacha20poly1305.h>
#include <string.h>

static uint8_t key[32];

static int lib_set_up(const uint8_t *raw)
{
    memcpy(key, raw, sizeof key);
    return 0;
}

static int lib_seal(const struct glue_message *m, uint8_t *out, uint8_t *tag)
{
    return crypto_aead_chacha20poly1305_ietf_encrypt_detached(out, tag, NULL, m->in, m->size, m->ad,
                                                              m->ad_size, NULL, m->nonce, key);
}

static int lib_open(const struct glue_message *m, uint8_t *out, const uint8_t *tag)
{
    return crypto_aead_chacha20poly1305_ietf_decrypt_detached(out, NULL, m->in, m->size, tag, m->ad,
                                                              m->ad_size, m->nonce, key);
}

#include "glue_aead_operations.h"
