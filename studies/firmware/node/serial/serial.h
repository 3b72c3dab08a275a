/*
 * The serial line: frames of the agent protocol (lab/firmware/agent/frame.h) whose
 * first byte is a channel.
 */
#ifndef NODE_SERIAL_H
#define NODE_SERIAL_H

#include <selo.h>

enum serial_channel {
    SERIAL_LINK = 0,    /* a frame of the link */
    SERIAL_CONSOLE = 1, /* a line of text in either direction, without an end of line */
    /* To the node: a reading to send. From it: a payload received. */
    SERIAL_PAYLOAD = 2,
    SERIAL_CONFIRMED = 3 /* to the node: a reading that the gateway must acknowledge */
};

/* Bytes of a frame without its channel. */
enum { SERIAL_MAX = SELO_LINK_FRAME_MAX };

void serial_begin(void);

/* Returns the frame that has arrived: its bytes, *size of them (at least 1), and its channel. It
 * stays valid until serial_take. A further frame that ends before that call is lost. A frame that is
 * still arriving at that call is kept.
 * Returns NULL if there is none. */
const uint8_t *serial_peek(enum serial_channel *channel, uint8_t *size);
void serial_take(void);

/* Returns 1 if a frame has arrived. */
uint8_t serial_waiting(void);

/* Keeps one frame to send, size 1..SERIAL_MAX. Returns 0 if one is kept already. */
uint8_t serial_put(enum serial_channel channel, const void *bytes, uint8_t size);
/* Sends the frame that serial_put kept, and sleeps meanwhile. Interrupts must be on. */
void serial_flush(void);

#endif
