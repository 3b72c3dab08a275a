/* ChaCha20-Poly1305 in pieces: encryption and decryption [RFC8439, 2.8]. */
#include <string.h>

#include "../chacha20/chacha20.h"
#include "../poly1305/poly1305.h"
#include "chacha20_poly1305.h"

_Static_assert(sizeof(struct selo_poly1305) <=
                   sizeof((struct selo_chacha20_poly1305_message *)0)->poly1305,
               "selo.h has room for each form of the accumulator");

static struct selo_poly1305 *mac_of(struct selo_chacha20_poly1305_message *message)
{
    return (struct selo_poly1305 *)(void *)message->poly1305;
}

/* Block 0 of the key stream gives the one-time key [RFC8439, 2.6]. */
static enum selo_status start(struct selo_chacha20_poly1305_message *message,
                              const struct selo_chacha20_poly1305_key *key,
                              const struct selo_header *header)
{
    message->ad_size = (uint32_t)header->ad_size;
    if (!selo_chacha20_poly1305_takes(header) || message->ad_size != header->ad_size) {
        selo_wipe(message, sizeof *message);
        return SELO_ERROR_ARGUMENT;
    }
    message->size = 0;
    message->tag_size = (uint8_t)header->tag_size;
    selo_chacha20_start(message->chacha20, key->bytes, header->nonce);
    chacha20_block(message->stream, message->chacha20);
    message->chacha20[12] = 1;
    selo_poly1305_start(mac_of(message), (const uint8_t *)message->stream);
    selo_poly1305_padded(mac_of(message), header->ad, header->ad_size);
    return SELO_OK;
}

/* Adds key stream to a piece. The ciphertext replaces the used key stream, until a whole block of it
 * goes to Poly1305. The ciphertext is `out` if `sealing` is 0xff, and `in` if it is 0. */
static enum selo_status update(struct selo_chacha20_poly1305_message *message, uint8_t *out,
                               const uint8_t *in, size_t size, uint8_t sealing)
{
    enum selo_status status = message->tag_size == 0 ? SELO_ERROR_STATE : SELO_ERROR_ARGUMENT;

    if (message->tag_size == 0 || size > UINT32_MAX - message->size) {
        selo_wipe(message, sizeof *message);
        selo_wipe(out, size);
        return status;
    }
    while (size != 0) {
        uint8_t at = message->size & 63;
        uint8_t taken = (uint8_t)(16 - at % 16);
        uint8_t *stream = (uint8_t *)message->stream + at;

        if (at == 0) {
            chacha20_block(message->stream, message->chacha20);
            message->chacha20[12]++;
        }
        if (taken > size) {
            taken = (uint8_t)size;
        }
        message->size += taken;
        size -= taken;
        for (; taken != 0; taken--) {
            uint8_t byte = *in++, key = *stream;
            *stream++ = (uint8_t)(byte ^ (key & sealing));
            *out++ = byte ^ key;
        }
        if (message->size % 16 == 0) {
            selo_poly1305_padded(mac_of(message), stream - 16, 16);
        }
    }
    return SELO_OK;
}

static void put_size(uint8_t field[8], uint32_t size)
{
    for (uint8_t i = 0; i < 8; i++) {
        field[i] = (uint8_t)size;
        size >>= 8;
    }
}

/* Computes the whole tag and wipes the message. Returns the size of the tag, or 0 if there is no
 * message. The key stream is not needed any more, and gives its place to the sizes. */
static uint8_t finish(struct selo_chacha20_poly1305_message *message, uint8_t tag[16])
{
    uint8_t tag_size = message->tag_size;
    uint8_t rest = message->size & 15;
    uint8_t *stream = (uint8_t *)message->stream;

    if (tag_size != 0) {
        selo_poly1305_padded(mac_of(message), stream + (message->size & 48), rest);
        put_size(stream, message->ad_size);
        put_size(stream + 8, message->size);
        selo_poly1305_padded(mac_of(message), stream, 16);
        selo_poly1305_finish(mac_of(message), tag);
    }
    selo_wipe(message, sizeof *message);
    return tag_size;
}

enum selo_status selo_chacha20_poly1305_seal_start(struct selo_chacha20_poly1305_sealing *state,
                                                   const struct selo_chacha20_poly1305_key *key,
                                                   const struct selo_header *header)
{
    return start(&state->message, key, header);
}

enum selo_status selo_chacha20_poly1305_seal_update(struct selo_chacha20_poly1305_sealing *state,
                                                    uint8_t *out, const uint8_t *in, size_t size)
{
    return update(&state->message, out, in, size, 0xff);
}

enum selo_status selo_chacha20_poly1305_seal_finish(struct selo_chacha20_poly1305_sealing *state,
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

enum selo_status selo_chacha20_poly1305_open_start(struct selo_chacha20_poly1305_opening *state,
                                                   const struct selo_chacha20_poly1305_key *key,
                                                   const struct selo_header *header)
{
    return start(&state->message, key, header);
}

enum selo_status selo_chacha20_poly1305_open_update(struct selo_chacha20_poly1305_opening *state,
                                                    uint8_t *out, const uint8_t *in, size_t size)
{
    return update(&state->message, out, in, size, 0);
}

enum selo_status selo_chacha20_poly1305_open_finish(struct selo_chacha20_poly1305_opening *state,
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
