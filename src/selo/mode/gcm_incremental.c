/* GCM in pieces: encryption and decryption [SP800-38D, 7.1, 7.2]. */
#include <string.h>

#include "fail.h"
#include "gcm.h"
#include "ghash.h"

static enum selo_status start(struct selo_gcm_message *message, struct selo_cipher cipher,
                              const struct selo_header *header)
{
    enum selo_status status = SELO_ERROR_ARGUMENT;

    message->ad_size = (uint32_t)header->ad_size;
    if (message->ad_size == header->ad_size) {
        status = selo_gcm_start(&message->gcm, cipher, header);
    }
    if (status != SELO_OK) {
        selo_wipe(message, sizeof *message);
        return status;
    }
    message->cipher = cipher;
    message->size = 0;
    message->tag_size = (uint8_t)header->tag_size;
    memset(message->hash, 0, sizeof message->hash);
    selo_ghash_padded(message->hash, message->gcm.hash_key, header->ad, header->ad_size);
    return SELO_OK;
}

/* Adds key stream to a piece, and the ciphertext to the hash. The ciphertext is `out` if `sealing`
 * is 0xff, and `in` if it is 0. */
static enum selo_status update(struct selo_gcm_message *message, uint8_t *out, const uint8_t *in,
                               size_t size, uint8_t sealing)
{
    enum selo_status status = message->tag_size == 0 ? SELO_ERROR_STATE : SELO_ERROR_ARGUMENT;

    if (message->tag_size == 0 || size > UINT32_MAX - message->size) {
        selo_wipe(message, sizeof *message);
        return selo_mode_fail(status, out, size);
    }
    while (size != 0) {
        uint8_t at = message->size & 15;
        uint8_t taken = (uint8_t)(size < 16u - at ? size : 16u - at);

#if !SELO_BYTEWISE
        if (at == 0 && size >= 16) { /* whole blocks, two at a time where the cipher can */
            const size_t whole = size - size % 16;
            if (sealing == 0) {
                selo_ghash_padded(message->hash, message->gcm.hash_key, in, whole);
            }
            selo_gcm_xor(&message->gcm, message->cipher, out, in, whole);
            if (sealing != 0) {
                selo_ghash_padded(message->hash, message->gcm.hash_key, out, whole);
            }
            message->size += (uint32_t)whole;
            in += whole, out += whole;
            size -= whole;
            continue;
        }
#endif
        if (at == 0) {
            selo_gcm_advance(message->gcm.counter);
            message->cipher.encrypt(message->cipher.key, message->stream, message->gcm.counter);
        }
        message->size += taken;
        size -= taken;
        for (; taken != 0; taken--) {
            uint8_t byte = *in++, stream = message->stream[at];
            message->hash[at++] ^= (uint8_t)(byte ^ (stream & sealing));
            *out++ = byte ^ stream;
        }
        if (at == 16) {
            ghash_multiply(message->hash, message->gcm.hash_key);
        }
    }
    return SELO_OK;
}

/* Adds a size in bits, a big-endian number of 64 bits. */
static void add_size(uint8_t field[8], uint32_t size)
{
    field[7] = (uint8_t)(field[7] ^ size << 3);
    size >>= 5;
    for (uint8_t i = 7; i-- != 3;) {
        field[i] = (uint8_t)(field[i] ^ size);
        size >>= 8;
    }
}

/* Makes the hash the whole tag. */
static enum selo_status finish(struct selo_gcm_message *message)
{
    uint8_t *hash = message->hash;

    if (message->tag_size == 0) {
        return SELO_ERROR_STATE;
    }
    if (message->size % 16 != 0) {
        ghash_multiply(hash, message->gcm.hash_key);
    }
    add_size(hash, message->ad_size);
    add_size(hash + 8, message->size);
    ghash_multiply(hash, message->gcm.hash_key);
    for (uint8_t i = 0; i < 16; i++) {
        hash[i] ^= message->gcm.mask[i];
    }
    return SELO_OK;
}

enum selo_status selo_gcm_seal_start(struct selo_gcm_sealing *state, struct selo_cipher cipher,
                                     const struct selo_header *header)
{
    return start(&state->message, cipher, header);
}

enum selo_status selo_gcm_seal_update(struct selo_gcm_sealing *state, uint8_t *out,
                                      const uint8_t *in, size_t size)
{
    return update(&state->message, out, in, size, 0xff);
}

enum selo_status selo_gcm_seal_finish(struct selo_gcm_sealing *state, uint8_t *tag)
{
    enum selo_status status = finish(&state->message);

    memcpy(tag, state->message.hash, state->message.tag_size); /* nothing on failure */
    selo_wipe(state, sizeof *state);
    return status;
}

enum selo_status selo_gcm_open_start(struct selo_gcm_opening *state, struct selo_cipher cipher,
                                     const struct selo_header *header)
{
    return start(&state->message, cipher, header);
}

enum selo_status selo_gcm_open_update(struct selo_gcm_opening *state, uint8_t *out,
                                      const uint8_t *in, size_t size)
{
    return update(&state->message, out, in, size, 0);
}

enum selo_status selo_gcm_open_finish(struct selo_gcm_opening *state, const uint8_t *tag)
{
    enum selo_status status = finish(&state->message);

    if (status == SELO_OK && !selo_equal(state->message.hash, tag, state->message.tag_size)) {
        status = SELO_ERROR_TAG;
    }
    selo_wipe(state, sizeof *state);
    return status;
}
