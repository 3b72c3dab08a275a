/*
 * Two ChaCha20-Poly1305 that seal correctly and open unaltered messages. `unchecked` also opens altered
 * messages. `unwiped` reports the wrong tag but still outputs the plaintext.
 */
#include "agent.h"
#include "selo.h"

#include <string.h>

enum { KEY = 32, NONCE = 12, TAG = 16 };

static struct selo_chacha20_poly1305_key key;

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

/* A second encryption decrypts, because the cipher is an added stream. */
static enum selo_status wrong_open(const uint8_t *nonce, const struct agent_field *ad,
                                   uint8_t *out, const uint8_t *in, uint16_t size)
{
    const struct selo_header header = {nonce, NONCE, ad->data, ad->size, TAG};
    enum selo_status status = SELO_OK;
    uint8_t ignored[TAG];
#if AGENT_VARIANT_UNWIPED
    status = selo_chacha20_poly1305_open(&key, &header, out, in, size, in + size);
    if (status == SELO_OK)
        return status;
#endif
    (void)selo_chacha20_poly1305_seal(&key, &header, out, in, size, ignored);
    return status;
}

static uint8_t open(struct agent_call *call)
{
    const struct agent_field *nonce = &call->in[0], *ad = &call->in[1], *sealed = &call->in[2];
    if (nonce->size != NONCE || call->in[3].size != 0 || sealed->size < TAG)
        return AGENT_BAD_SIZE;
    uint16_t size = (uint16_t)(sealed->size - TAG);
    enum selo_status status;
    AGENT_MEASURE(status = wrong_open(nonce->data, ad, call->out, sealed->data, size));
    call->out_size = size;
    return (uint8_t)status;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(SEAL, "seal", seal)
    AGENT_OPERATION(OPEN, "open", open))
