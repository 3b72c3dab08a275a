/*
 * Frames of the agent protocol: COBS around a body that ends in a CRC
 * (docs/contributor/agent-protocol.md). Independent of commands and ports.
 */
#ifndef SELO_AGENT_FRAME_H
#define SELO_AGENT_FRAME_H

#include <stdint.h>

/* CRC-16/CCITT-FALSE: polynomial 0x1021, starts from FRAME_CRC_START. */
#define FRAME_CRC_START 0xFFFFu
uint16_t frame_crc(uint16_t crc, uint8_t byte);

enum frame_event {
    FRAME_NONE,     /* incomplete, or dropped because it is damaged */
    FRAME_COMPLETE, /* body[0..length), without the CRC, is complete */
    FRAME_TOO_LARGE /* intact but longer than `capacity`; body has its first bytes */
};

/* Decodes a frame, given byte by byte, to `body`. */
struct frame_decoder {
    uint8_t *body;
    uint16_t capacity; /* size of `body`, without the CRC */
    uint16_t length;   /* bytes so far, without the last two, which may be the CRC */
    uint16_t crc;      /* CRC of those bytes */
    uint8_t tail[2], tail_count; /* the last two bytes decoded */
    uint8_t code, left; /* COBS: code of the block, bytes left in it */
    uint8_t damaged;
};

/* `capacity` is at least 2, so that command and sequence of any frame fit. */
void frame_decoder_start(struct frame_decoder *decoder, uint8_t *body, uint16_t capacity);

/* After FRAME_COMPLETE or FRAME_TOO_LARGE `length` is that of the body. The next byte starts a new
 * frame. */
enum frame_event frame_decode(struct frame_decoder *decoder, uint8_t byte);

/* Appends the CRC to body[0..length), which needs room for two more bytes, and passes the encoded
 * frame with its final zero to `write`, byte by byte. */
void frame_encode(uint8_t *body, uint16_t length, void (*write)(uint8_t byte));

#endif
