/*
 * The serial line: frames of the agent protocol (lab/firmware/agent/frame.h) whose
 * first byte is a channel.
 */
#ifndef NODE_SERIAL_H
#define NODE_SERIAL_H

#include <selo.h>

enum serial_channel {
    SERIAL_LINK = 0,    /* a frame of the link */
    SERIAL_CONSOLE = 1, /* a line of text, both ways, without an end of line */
    /* To the node, a reading to be sent; from it, a payload received. */
    SERIAL_PAYLOAD = 2,
    SERIAL_CONFIRMED = 3 /* to the node: a reading that the gateway shall acknowledge */
};

/* The bytes of one frame beside its channel. */
enum { SERIAL_MAX = SELO_LINK_FRAME_MAX };

void serial_begin(void);

/* The frame that has come, if there is one: its bytes, *size of them (at least 1), and
 * its channel. It stays until serial_take; what comes meanwhile, beyond one frame
 * under way, is lost. NULL if there is none. */
const uint8_t *serial_peek(enum serial_channel *channel, uint8_t *size);
void serial_take(void);

/* 1 if a frame has come. */
uint8_t serial_waiting(void);

/* Keeps one frame to be sent, size 1..SERIAL_MAX; 0 if there is one already. */
uint8_t serial_put(enum serial_channel channel, const void *bytes, uint8_t size);
/* Sends what serial_put has kept; sleeps meanwhile. Interrupts must be on. */
void serial_flush(void);

#endif
