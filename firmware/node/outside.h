/*
 * What is around the node: the way to its gateway, and whoever looks after it. Each
 * variant has its own: serial/ one line for all, field/ a radio, sensors and a console
 * that only speaks.
 */
#ifndef NODE_OUTSIDE_H
#define NODE_OUTSIDE_H

#include <selo.h>

void outside_begin(void);

/* 1 if something has come: outside_step then has something to do. */
uint8_t outside_waiting(void);

/* Takes one thing that has come, by station_poll and its like; 0 if there is none. */
uint8_t outside_step(void);

/* For struct selo_hal. `send` only keeps the frame, so that no call of the library
 * waits for the carrier: outside_flush after it. */
enum selo_status outside_send(void *unused, const uint8_t *frame, uint8_t size);
uint8_t outside_receive(void *unused, uint8_t frame[SELO_LINK_FRAME_MAX]);

/* Sends the frame that was kept, if there is one; sleeps meanwhile. Interrupts must be on. */
void outside_flush(void);

/* A payload from the gateway. */
void outside_payload(const uint8_t *bytes, uint8_t size);

#endif
