/*
 * Frames of the agent protocol: COBS around a body that ends in a CRC.
 *
 * COBS splits the body at its zeros into blocks of at most 254 bytes. It writes each block as its
 * length plus one, followed by its bytes, so a zero occurs only at the end of a frame. A block of
 * 254 bytes (code 0xFF) is not followed by a zero of the body. Every other block is, except the
 * last [COBS1999, III].
 */
#include "frame.h"

/* The eight steps of the bitwise CRC at once. With this polynomial the bits of
 * the top byte affect only shifts by 4, 5 and 12. */
static inline uint16_t crc16(uint16_t crc, uint8_t byte)
{
    uint8_t x = (uint8_t)((crc >> 8) ^ byte);
    x ^= (uint8_t)(x >> 4);
    return (uint16_t)((uint16_t)(crc << 8) ^ (uint16_t)((uint16_t)x << 12)
                      ^ (uint16_t)((uint16_t)x << 5) ^ x);
}

uint16_t frame_crc(uint16_t crc, uint8_t byte) { return crc16(crc, byte); }

static void restart(struct frame_decoder *decoder)
{
    decoder->length = 0;
    decoder->crc = FRAME_CRC_START;
    decoder->tail_count = 0;
    decoder->code = 0;
    decoder->left = 0;
    decoder->damaged = 0;
}

void frame_decoder_start(struct frame_decoder *decoder, uint8_t *body, uint16_t capacity)
{
    decoder->body = body;
    decoder->capacity = capacity;
    restart(decoder);
}

/* Hold back the last two bytes until it is known that they are not the CRC. */
static void push(struct frame_decoder *decoder, uint8_t byte)
{
    if (decoder->tail_count < 2) {
        decoder->tail[decoder->tail_count++] = byte;
        return;
    }
    uint8_t settled = decoder->tail[0];
    decoder->tail[0] = decoder->tail[1];
    decoder->tail[1] = byte;
    decoder->crc = frame_crc(decoder->crc, settled);
    if (decoder->length < decoder->capacity)
        decoder->body[decoder->length] = settled;
    if (decoder->length == UINT16_MAX)
        decoder->damaged = 1; /* no host sends so much: these are stray bytes without an end */
    else
        decoder->length++;
}

static enum frame_event finish(const struct frame_decoder *decoder)
{
    /* A frame has a CRC. A lone zero after a frame is only another end, and `length` is
     * still that of the previous frame. */
    if (decoder->tail_count < 2)
        return FRAME_NONE;
    if (decoder->damaged || decoder->left != 0 || decoder->length < 2)
        return FRAME_NONE;
    uint16_t stated = (uint16_t)(decoder->tail[0] | (uint16_t)((uint16_t)decoder->tail[1] << 8));
    if (stated != decoder->crc)
        return FRAME_NONE;
    return decoder->length <= decoder->capacity ? FRAME_COMPLETE : FRAME_TOO_LARGE;
}

enum frame_event frame_decode(struct frame_decoder *decoder, uint8_t byte)
{
    if (byte == 0) {
        enum frame_event event = finish(decoder);
        uint16_t length = decoder->length;
        restart(decoder);
        if (event != FRAME_NONE)
            decoder->length = length;
        return event;
    }
    if (decoder->code == 0)
        decoder->length = 0; /* first byte of a frame: discard the previous length */
    if (decoder->left != 0) {
        decoder->left--;
        push(decoder, byte);
        return FRAME_NONE;
    }
    if (decoder->code != 0 && decoder->code != 0xFF)
        push(decoder, 0);
    decoder->code = byte;
    decoder->left = (uint8_t)(byte - 1);
    return FRAME_NONE;
}

void frame_encode(uint8_t *body, uint16_t length, void (*write)(uint8_t byte))
{
    uint16_t crc = FRAME_CRC_START;
    for (uint16_t i = 0; i < length; i++)
        crc = frame_crc(crc, body[i]);
    body[length++] = (uint8_t)crc;
    body[length++] = (uint8_t)(crc >> 8);

    uint16_t at = 0;
    for (;;) {
        uint8_t run = 0;
        while (run < 254 && at + run < length && body[at + run] != 0)
            run++;
        write((uint8_t)(run + 1));
        for (uint8_t i = 0; i < run; i++)
            write(body[at++]);
        if (at == length)
            break;
        if (run < 254)
            at++; /* the zero that the block represents */
    }
    write(0);
}
