/* Ascon-AEAD128 in pieces: encryption and decryption [SP800-232, 4.1.1, 4.1.2]. */
#include <string.h>

#include "ascon.h"

static enum selo_status start(struct selo_ascon_aead128_message *message,
                              const struct selo_ascon_aead128_key *key,
                              const struct selo_header *header)
{
    if (!selo_ascon_aead128_takes(header)) {
        selo_wipe(message, sizeof *message);
        return SELO_ERROR_ARGUMENT;
    }
    message->key = key;
    message->at = 0;
    message->tag_size = (uint8_t)header->tag_size;
    selo_ascon_aead128_begin(message->state, key->bytes, header);
    return SELO_OK;
}

/* Encrypts a piece if `opening` is 0, and decrypts it if `opening` is 0xff. */
static enum selo_status update(struct selo_ascon_aead128_message *message, uint8_t *out,
                               const uint8_t *in, size_t size, uint8_t opening)
{
    uint8_t at = message->at;

    if (message->tag_size == 0) {
        selo_wipe(message, sizeof *message);
        selo_wipe(out, size);
        return SELO_ERROR_STATE;
    }
    for (; size != 0; size--) {
        uint8_t byte = *in++, stream = selo_ascon_byte(message->state, at);

        *out++ = byte ^ stream;
        selo_ascon_add_byte(message->state, at++, (uint8_t)(byte ^ (stream & opening)));
        if (at == 16) {
            selo_ascon_permute(message->state, 8);
            at = 0;
        }
    }
    message->at = at;
    return SELO_OK;
}

/* Computes the whole tag and wipes the message. Returns the size of the tag, or 0 if there is no
 * message. */
static uint8_t finish(struct selo_ascon_aead128_message *message, uint8_t tag[16])
{
    uint8_t tag_size = message->tag_size;

    if (tag_size != 0) {
        selo_ascon_aead128_end(message->state, message->key->bytes, message->at, tag);
    }
    selo_wipe(message, sizeof *message);
    return tag_size;
}

enum selo_status selo_ascon_aead128_seal_start(struct selo_ascon_aead128_sealing *state,
                                               const struct selo_ascon_aead128_key *key,
                                               const struct selo_header *header)
{
    return start(&state->message, key, header);
}

enum selo_status selo_ascon_aead128_seal_update(struct selo_ascon_aead128_sealing *state,
                                                uint8_t *out, const uint8_t *in, size_t size)
{
    return update(&state->message, out, in, size, 0);
}

enum selo_status selo_ascon_aead128_seal_finish(struct selo_ascon_aead128_sealing *state,
                                                uint8_t *tag)
{
    uint8_t whole[16];
    uint8_t tag_size = finish(&state->message, whole);

    if (tag_size == 0) {
        return SELO_ERROR_STATE;
    }
    memcpy(tag, whole, tag_size);
    selo_wipe(whole, sizeof whole); /* the bytes cut from a short tag are secret */
    return SELO_OK;
}

enum selo_status selo_ascon_aead128_open_start(struct selo_ascon_aead128_opening *state,
                                               const struct selo_ascon_aead128_key *key,
                                               const struct selo_header *header)
{
    return start(&state->message, key, header);
}

enum selo_status selo_ascon_aead128_open_update(struct selo_ascon_aead128_opening *state,
                                                uint8_t *out, const uint8_t *in, size_t size)
{
    return update(&state->message, out, in, size, 0xff);
}

enum selo_status selo_ascon_aead128_open_finish(struct selo_ascon_aead128_opening *state,
                                                const uint8_t *tag)
{
    uint8_t whole[16];
    uint8_t tag_size = finish(&state->message, whole);
    uint8_t genuine;

    if (tag_size == 0) {
        return SELO_ERROR_STATE;
    }
    genuine = selo_equal(whole, tag, tag_size);
    selo_wipe(whole, sizeof whole);
    return genuine ? SELO_OK : SELO_ERROR_TAG;
}
