/*
 * Selo's authenticated ciphers in the lab: key-setup, seal, open. The manifest defines SELO_AEAD, the
 * prefix of _seal and _open. It also defines SELO_CIPHER, the struct of the block cipher without
 * `struct`, where these take any cipher, and NONCE_BYTES, if they accept only nonces of that size.
 */
#include "agent.h"
#include "names.h"
#include "selo.h"
#include "selo_speck.h"

#define SEAL SELO_NAME(SELO_AEAD, _seal)
#define OPEN SELO_NAME(SELO_AEAD, _open)

enum { WHOLE_TAG = 16 };

#ifdef SELO_CIPHER

static struct SELO_CIPHER key;
#define SET_UP(raw) SELO_NAME(SELO_CIPHER, _setup)(&key, raw)
#define KEY SELO_NAME(SELO_CIPHER, _cipher)(&key)

#else

static struct SELO_NAME(SELO_AEAD, _key) key;
#define SET_UP(raw) SELO_NAME(SELO_AEAD, _setup)(&key, raw)
#define KEY &key

#endif

#ifdef NONCE_BYTES
#define TAKES_NONCE(size) ((size) == NONCE_BYTES)
#else
#define TAKES_NONCE(size) 1
#endif

/* The arguments of either operation. The tag follows the text. */
struct message {
    struct selo_header header;
    const uint8_t *in;
    uint16_t size;
};

/* Reads the fields. Returns 0 for sizes with which no call is possible. */
static uint8_t read_fields(struct message *message, const struct agent_call *call)
{
    const struct agent_field *in = call->in;
    message->header = (struct selo_header){.nonce = in[0].data, .nonce_size = in[0].size,
                                           .ad = in[1].data, .ad_size = in[1].size,
                                           .tag_size = in[3].size ? in[3].data[0] : WHOLE_TAG};
    message->in = in[2].data;
    message->size = in[2].size;
    return TAKES_NONCE(message->header.nonce_size) && in[3].size <= 1;
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
    if (!read_fields(&m, call) || m.size > AGENT_IO_BYTES - m.header.tag_size)
        return AGENT_BAD_SIZE;
    uint8_t *out = call->out, *tag = out + m.size;
    enum selo_status status;
    AGENT_MEASURE(status = SEAL(KEY, &m.header, out, m.in, m.size, tag));
    call->out_size = (uint16_t)(m.size + m.header.tag_size);
    return (uint8_t)status;
}

static uint8_t open(struct agent_call *call)
{
    struct message m;
    if (!read_fields(&m, call) || m.size < m.header.tag_size)
        return AGENT_BAD_SIZE;
    m.size = (uint16_t)(m.size - m.header.tag_size);
    uint8_t *out = call->out;
    const uint8_t *tag = m.in + m.size;
    enum selo_status status;
    AGENT_MEASURE(status = OPEN(KEY, &m.header, out, m.in, m.size, tag));
    /* Also after a refusal, so that the host can check that the output is all zeros. */
    call->out_size = m.size;
    return (uint8_t)status;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(SEAL, "seal", seal)
    AGENT_OPERATION(OPEN, "open", open))
