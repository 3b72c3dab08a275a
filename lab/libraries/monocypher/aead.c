/* Monocypher's ChaCha20-Poly1305 in the lab: the first message of a stream is RFC 8439's. */
#include "agent.h"
#include "glue_aead.h"

#include <monocypher.h>
#include <string.h>

static uint8_t key[32];

static int lib_set_up(const uint8_t *raw)
{
    memcpy(key, raw, sizeof key);
    return 0;
}

static int lib_seal(const struct glue_message *m, uint8_t *out, uint8_t *tag)
{
    crypto_aead_ctx stream;
    crypto_aead_init_ietf(&stream, key, m->nonce);
    crypto_aead_write(&stream, out, tag, m->ad, m->ad_size, m->in, m->size);
    crypto_wipe(&stream, sizeof stream);
    return 0;
}

static int lib_open(const struct glue_message *m, uint8_t *out, const uint8_t *tag)
{
    crypto_aead_ctx stream;
    crypto_aead_init_ietf(&stream, key, m->nonce);
    int failed = crypto_aead_read(&stream, out, tag, m->ad, m->ad_size, m->in, m->size);
    crypto_wipe(&stream, sizeof stream);
    return failed;
}

#include "glue_aead_operations.h"
