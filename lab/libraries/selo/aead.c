/*
 * Selo's authenticated ciphers in the lab: key-setup, seal, open. The manifest
 * defines SELO_AEAD, the prefix of _seal and _open, and either SELO_CIPHER, the
 * block cipher's struct without `struct`, or NONCE_BYTES, where the cipher takes
 * the key itself and nonces of one size.
 */
#include "agent.h"
#include "names.h"
#include "selo.h"

#include <string.h>

#define SEAL SELO_NAME(SELO_AEAD, _seal)
#define OPEN SELO_NAME(SELO_AEAD, _open)

enum { WHOLE_TAG = 16 };

#ifdef SELO_CIPHER

static struct SELO_CIPHER key;
#define SET_UP(raw) SELO_NAME(SELO_CIPHER, _setup)(&key, raw)
#define KEY_AND_NONCE(call) \
    SELO_NAME(SELO_CIPHER, _encrypt), &key, (call).nonce, (call).nonce_size
#define TAKES_NONCE(size) 1

#else

/* There is no key schedule: a program keeps the key. */
static uint8_t key[AGENT_KEY_BYTES];
#define SET_UP(raw) memcpy(key, raw, sizeof key)
#define KEY_AND_NONCE(call) key, (call).nonce
#define TAKES_NONCE(size) ((size) == NONCE_BYTES)

#endif

/* What a call of either operation is given; the tag stands behind the text. */
struct message {
    const uint8_t *nonce, *ad, *in;
    uint16_t nonce_size, ad_size, size;
    uint8_t tag_size;
};

/* Reads the fields; 0 for sizes that no call can be made with. */
static uint8_t read_fields(struct message *message, const struct agent_call *call)
{
    const struct agent_field *in = call->in;
    *message = (struct message){.nonce = in[0].data, .nonce_size = in[0].size,
                                .ad = in[1].data, .ad_size = in[1].size,
                                .in = in[2].data, .size = in[2].size,
                                .tag_size = in[3].size ? in[3].data[0] : WHOLE_TAG};
    return TAKES_NONCE(message->nonce_size) && in[3].size <= 1;
}

static uint8_t key_setup(struct agent_call *call)
{
    if (call->in[0].size != AGENT_KEY_BYTES)
        return AGENT_BAD_SIZE;
    const uint8_t *raw = call->in[0].data;
    AGENT_MEASURE(SET_UP(raw));
    return SELO_OK;
}

static uint8_t seal(struct agent_call *call)
{
    struct message m;
    if (!read_fields(&m, call) || m.size > AGENT_IO_BYTES - m.tag_size)
        return AGENT_BAD_SIZE;
    uint8_t *out = call->out, *tag = out + m.size;
    enum selo_status status;
    AGENT_MEASURE(status = SEAL(KEY_AND_NONCE(m), m.ad, m.ad_size, out, m.in, m.size,
                                tag, m.tag_size));
    call->out_size = (uint16_t)(m.size + m.tag_size);
    return (uint8_t)status;
}

static uint8_t open(struct agent_call *call)
{
    struct message m;
    if (!read_fields(&m, call) || m.size < m.tag_size)
        return AGENT_BAD_SIZE;
    m.size = (uint16_t)(m.size - m.tag_size);
    uint8_t *out = call->out;
    const uint8_t *tag = m.in + m.size;
    enum selo_status status;
    AGENT_MEASURE(status = OPEN(KEY_AND_NONCE(m), m.ad, m.ad_size, out, m.in, m.size,
                                tag, m.tag_size));
    /* Also where it was refused: the host sees that nothing but zeros came out. */
    call->out_size = m.size;
    return (uint8_t)status;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(SEAL, "seal", seal)
    AGENT_OPERATION(OPEN, "open", open))
