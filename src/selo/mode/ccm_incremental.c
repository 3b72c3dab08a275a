/* CCM in pieces: encryption and decryption [SP800-38C, 6.1, 6.2, A]. */
#include <string.h>

#include "ccm.h"
#include "fail.h"

/* The bytes of the counter, which are also those of the size in B0 [SP800-38C, A.2.1, A.3]. */
static uint8_t size_bytes(const struct selo_ccm_message *message)
{
    return (uint8_t)(message->counter[0] + 1);
}

static void encrypt(const struct selo_ccm_message *message, uint8_t out[16], const uint8_t in[16])
{
    message->cipher.encrypt(message->cipher.key, out, in);
}

/* Adds the associated data to the CBC-MAC: its size in two bytes, then the data
 * [SP800-38C, A.2.2]. */
static void add_ad(struct selo_ccm_message *message, const uint8_t *bytes, size_t ad_size)
{
    uint8_t *mac = message->mac;
    uint8_t at = 2;

    mac[0] = (uint8_t)(mac[0] ^ ad_size >> 8);
    mac[1] = (uint8_t)(mac[1] ^ ad_size);
    for (; ad_size != 0; ad_size--) {
        if (at == 16) {
            encrypt(message, mac, mac);
            at = 0;
        }
        mac[at++] ^= *bytes++;
    }
    encrypt(message, mac, mac);
}

/* The first counter block and B0 [SP800-38C, A.2.1, A.3]. SELO_ERROR_ARGUMENT if the size does not
 * fit into its bytes. */
static enum selo_status first_blocks(struct selo_ccm_message *message,
                                     const struct selo_header *header, uint32_t size)
{
    uint8_t *counter = message->counter, *mac = message->mac;
    uint8_t first = (uint8_t)(header->nonce_size + 1);

    memset(counter, 0, 16);
    counter[0] = (uint8_t)(14 - header->nonce_size);
    memcpy(counter + 1, header->nonce, header->nonce_size);
    memcpy(mac, counter, 16);
    mac[0] = (uint8_t)(mac[0] | (header->tag_size - 2) / 2 << 3 | (header->ad_size != 0 ? 0x40 : 0));
    message->left = size;
    for (uint8_t i = 16; i-- != first;) {
        mac[i] = (uint8_t)size;
        size >>= 8;
    }
    return size == 0 ? SELO_OK : SELO_ERROR_ARGUMENT;
}

static enum selo_status start(struct selo_ccm_message *message, struct selo_cipher cipher,
                              const struct selo_header *header, uint32_t size)
{
    size_t nonce_size = header->nonce_size, tag_size = header->tag_size;
    enum selo_status status = SELO_ERROR_ARGUMENT;

    if (nonce_size >= 7 && nonce_size <= 13 && tag_size >= 4 && tag_size <= 16 &&
        tag_size % 2 == 0 && header->ad_size < 0xff00) {
        status = first_blocks(message, header, size);
    }
    if (status != SELO_OK) {
        selo_wipe(message, sizeof *message);
        return status;
    }
    message->cipher = cipher;
    message->at = 0;
    message->tag_size = (uint8_t)tag_size;
    encrypt(message, message->mac, message->mac);
    if (header->ad_size != 0) {
        add_ad(message, header->ad, header->ad_size);
    }
    return SELO_OK;
}

/* Adds key stream to a piece, and the plaintext to the CBC-MAC. The plaintext is `in` if `opening`
 * is 0, and `out` if it is 0xff. */
static enum selo_status update(struct selo_ccm_message *message, uint8_t *out, const uint8_t *in,
                               size_t size, uint8_t opening)
{
    enum selo_status status = message->tag_size == 0 ? SELO_ERROR_STATE : SELO_ERROR_ARGUMENT;
    uint8_t at = message->at;

    if (message->tag_size == 0 || size > message->left) {
        selo_wipe(message, sizeof *message);
        return selo_mode_fail(status, out, size);
    }
    message->left -= (uint32_t)size;
    for (; size != 0; size--) {
        uint8_t byte = *in++, stream;

        if (at == 0) {
            selo_ccm_advance(message->counter, size_bytes(message));
            encrypt(message, message->stream, message->counter);
        }
        stream = message->stream[at];
        message->mac[at++] ^= (uint8_t)(byte ^ (stream & opening));
        *out++ = byte ^ stream;
        if (at == 16) {
            encrypt(message, message->mac, message->mac);
            at = 0;
        }
    }
    message->at = at;
    return SELO_OK;
}

/* Makes the CBC-MAC the whole tag, which block 0 of the key stream encrypts [SP800-38C, 6.1]. */
static enum selo_status finish(struct selo_ccm_message *message)
{
    uint8_t *mac = message->mac;

    if (message->tag_size == 0 || message->left != 0) {
        return SELO_ERROR_STATE;
    }
    if (message->at != 0) {
        encrypt(message, mac, mac);
    }
    memset(message->counter + 16 - size_bytes(message), 0, size_bytes(message));
    encrypt(message, message->stream, message->counter);
    for (uint8_t i = 0; i < 16; i++) {
        mac[i] ^= message->stream[i];
    }
    return SELO_OK;
}

enum selo_status selo_ccm_seal_start(struct selo_ccm_sealing *state, struct selo_cipher cipher,
                                     const struct selo_header *header, uint32_t size)
{
    return start(&state->message, cipher, header, size);
}

enum selo_status selo_ccm_seal_update(struct selo_ccm_sealing *state, uint8_t *out,
                                      const uint8_t *in, size_t size)
{
    return update(&state->message, out, in, size, 0);
}

enum selo_status selo_ccm_seal_finish(struct selo_ccm_sealing *state, uint8_t *tag)
{
    enum selo_status status = finish(&state->message);

    if (status == SELO_OK) {
        memcpy(tag, state->message.mac, state->message.tag_size);
    } else {
        selo_wipe(tag, state->message.tag_size);
    }
    selo_wipe(state, sizeof *state);
    return status;
}

enum selo_status selo_ccm_open_start(struct selo_ccm_opening *state, struct selo_cipher cipher,
                                     const struct selo_header *header, uint32_t size)
{
    return start(&state->message, cipher, header, size);
}

enum selo_status selo_ccm_open_update(struct selo_ccm_opening *state, uint8_t *out,
                                      const uint8_t *in, size_t size)
{
    return update(&state->message, out, in, size, 0xff);
}

enum selo_status selo_ccm_open_finish(struct selo_ccm_opening *state, const uint8_t *tag)
{
    enum selo_status status = finish(&state->message);

    if (status == SELO_OK && !selo_equal(state->message.mac, tag, state->message.tag_size)) {
        status = SELO_ERROR_TAG;
    }
    selo_wipe(state, sizeof *state);
    return status;
}
