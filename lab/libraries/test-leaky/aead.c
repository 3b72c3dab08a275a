/*
 * A correct ChaCha20-Poly1305 that compares tags byte by byte and stops at the first difference. An
 * attacker who sends forgeries and measures the time learns a tag byte by byte. Messages that were
 * not altered take equal time.
 */
#include "agent.h"
#include "selo.h"

#include <string.h>

enum { KEY = 32, NONCE = 12, TAG = 16 };

static struct selo_chacha20_poly1305_key key;
static uint8_t scratch[AGENT_IO_BYTES];

static uint8_t key_setup(struct agent_call *call)
{
    if (call->in[0].size != KEY)
        return AGENT_BAD_SIZE;
    AGENT_MEASURE(selo_chacha20_poly1305_setup(&key, call->in[0].data));
    return SELO_OK;
}

static uint8_t seal(struct agent_call *call)
{
    const struct agent_field *nonce = &call->in[0], *ad = &call->in[1], *text = &call->in[2];
    if (nonce->size != NONCE || call->in[3].size != 0 || text->size > AGENT_IO_BYTES - TAG)
        return AGENT_BAD_SIZE;
    const struct selo_header header = {nonce->data, NONCE, ad->data, ad->size, TAG};
    enum selo_status status;
    AGENT_MEASURE(status = selo_chacha20_poly1305_seal(&key, &header, call->out, text->data,
                                                       text->size, call->out + text->size));
    call->out_size = (uint16_t)(text->size + TAG);
    return (uint8_t)status;
}

static __attribute__((noinline)) uint8_t leaky_equal(const uint8_t *a, const uint8_t *b)
{
    for (uint8_t i = 0; i < TAG; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

/* Decrypts by encrypting the ciphertext, and computes the correct tag by encrypting the result. */
static enum selo_status leaky_open(const uint8_t *nonce, const struct agent_field *ad,
                                   uint8_t *out, const uint8_t *in, uint16_t size)
{
    const struct selo_header header = {nonce, NONCE, ad->data, ad->size, TAG};
    uint8_t tag[TAG];
    (void)selo_chacha20_poly1305_seal(&key, &header, out, in, size, tag);
    (void)selo_chacha20_poly1305_seal(&key, &header, scratch, out, size, tag);
    if (leaky_equal(tag, in + size))
        return SELO_OK;
    memset(out, 0, size);
    return SELO_ERROR_TAG;
}

static uint8_t open(struct agent_call *call)
{
    const struct agent_field *nonce = &call->in[0], *ad = &call->in[1], *sealed = &call->in[2];
    if (nonce->size != NONCE || call->in[3].size != 0 || sealed->size < TAG)
        return AGENT_BAD_SIZE;
    uint16_t size = (uint16_t)(sealed->size - TAG);
    enum selo_status status;
    AGENT_MEASURE(status = leaky_open(nonce->data, ad, call->out, sealed->data, size));
    call->out_size = size;
    return (uint8_t)status;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(SEAL, "seal", seal)
    AGENT_OPERATION(OPEN, "open", open))
