/*
 * RustCrypto's authenticated ciphers in the lab. They work in place. The sizes of nonces and tags are
 * types. GCM has those of its own aliases, CCM has three pairs.
 */
#include "glue_aead.h"
#include "names.h"

#include <string.h>

#undef GLUE_NONCE_IS
#undef GLUE_TAG_IS
#if GLUE_CCM
#define GLUE_NONCE_IS(size) ((size) == 12 || (size) == 13)
#define GLUE_TAG_IS(size) ((size) == 16 || ((size) == 8 && m->nonce_size == 13))
#else
#if AGENT_ALGORITHM_ASCON_AEAD128
#define GLUE_NONCE_IS(size) ((size) == 16)
#else
#define GLUE_NONCE_IS(size) ((size) == 12)
#endif
#define GLUE_TAG_IS(size) ((size) == 16)
#endif

#define RC_SEAL(name) int name(const struct glue_message *m, uint8_t *out, uint8_t *tag)
#define RC_OPEN(name) int name(const struct glue_message *m, uint8_t *out, const uint8_t *tag)

#if GLUE_CCM

void RC_KEYED(ccm, set_up)(const uint8_t *raw);
RC_SEAL(RC_KEYED(ccm, 12_16_seal));
RC_OPEN(RC_KEYED(ccm, 12_16_open));
RC_SEAL(RC_KEYED(ccm, 13_16_seal));
RC_OPEN(RC_KEYED(ccm, 13_16_open));
RC_SEAL(RC_KEYED(ccm, 13_8_seal));
RC_OPEN(RC_KEYED(ccm, 13_8_open));

#define RC_SET_UP RC_KEYED(ccm, set_up)

/* A program has one pair of sizes, so the program whose flash is measured has one. */
#if AGENT_FOOTPRINT
#define rc_seal RC_KEYED(ccm, 12_16_seal)
#define rc_open RC_KEYED(ccm, 12_16_open)
#else
static RC_SEAL(rc_seal)
{
    return m->nonce_size == 12 ? RC_KEYED(ccm, 12_16_seal)(m, out, tag)
           : m->tag_size == 16 ? RC_KEYED(ccm, 13_16_seal)(m, out, tag)
                               : RC_KEYED(ccm, 13_8_seal)(m, out, tag);
}

static RC_OPEN(rc_open)
{
    return m->nonce_size == 12 ? RC_KEYED(ccm, 12_16_open)(m, out, tag)
           : m->tag_size == 16 ? RC_KEYED(ccm, 13_16_open)(m, out, tag)
                               : RC_KEYED(ccm, 13_8_open)(m, out, tag);
}
#endif

#else

#if GLUE_GCM
#define RC_AEAD(what) RC_KEYED(gcm, what)
#elif AGENT_ALGORITHM_ASCON_AEAD128
#define RC_AEAD(what) rc_ascon_aead128_##what
#else
#define RC_AEAD(what) rc_chacha20_poly1305_##what
#endif

#define RC_SET_UP RC_AEAD(set_up)
#define rc_seal RC_AEAD(seal)
#define rc_open RC_AEAD(open)

void RC_SET_UP(const uint8_t *raw);
RC_SEAL(rc_seal);
RC_OPEN(rc_open);

#endif

static int lib_set_up(const uint8_t *raw)
{
    RC_SET_UP(raw);
    return 0;
}

static int lib_seal(const struct glue_message *m, uint8_t *out, uint8_t *tag)
{
    memcpy(out, m->in, m->size);
    return rc_seal(m, out, tag);
}

static int lib_open(const struct glue_message *m, uint8_t *out, const uint8_t *tag)
{
    memcpy(out, m->in, m->size);
    return rc_open(m, out, tag);
}

#include "glue_aead_operations.h"
