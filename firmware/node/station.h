/*
 * The node at work: what it does at the start, at each event of the link, at a frame
 * from outside, at a press of the button and when a reading is due.
 */
#ifndef NODE_STATION_H
#define NODE_STATION_H

#include <selo.h>

/* Loads the record and pairs, or joins if it is paired already. */
void station_begin(const struct selo_hal *hal);

/* Does one thing that is due; 0 if there is none. */
uint8_t station_step(void);

/* For so many milliseconds nothing is due and no answer is awaited; 0: the node must go on
 * looking. */
uint32_t station_rest(void);

/* For struct selo_hal: link frames, but only when they are looked for. */
uint8_t station_receive(void *unused, uint8_t frame[SELO_LINK_FRAME_MAX]);

/* Gives the library the frame that has come; 0 if there is no library to give it to. */
uint8_t station_poll(void);

/* Sends a reading, with SELO_NODE_CONFIRMED until it is acknowledged. */
void station_send(const void *payload, uint8_t size, uint8_t flags);

/* What the operator asks for; the answer is text on the console. */
void station_pair(void);
void station_join(void);
void station_confirm(uint8_t same);
void station_forget(void);
void station_status(void);

#endif
