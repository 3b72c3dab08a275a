/*
 * The node at work: its actions at the start, at each event of the link, at a frame from outside, at
 * a press of the button and when a reading is due.
 */
#ifndef SELO_STATION_STATION_H
#define SELO_STATION_STATION_H

#include <selo.h>
#include "reading.h"

/* ---- Defined by the program -------------------------------------------------------------- */

/* Milliseconds between readings; 0: no readings except those of selo_station_send. */
extern const uint32_t selo_station_period;

/* Fills in the reading that is due. */
void selo_station_reading(struct selo_reading *reading);

/* ---- Called by the program --------------------------------------------------------------- */

/* Loads the record, and joins if the node is paired. Otherwise it waits for the button, or for
 * selo_station_pair. Turns interrupts on. */
void selo_station_begin(void);

/* Does one thing that is due, or sleeps until something may be due. Call it in a loop. */
void selo_station_work(void);

/* ---- Called by the surroundings (outside.h) ------------------------------------------------ */

/* Gives the library the frame that has arrived. Returns 0 if the node could not be started. */
uint8_t selo_station_poll(void);

/* Sends a reading, with SELO_NODE_CONFIRMED until it is acknowledged. */
void selo_station_send(const void *payload, uint8_t size, uint8_t flags);

/* Commands of the operator. The answer is text on the console. */
void selo_station_pair(void);
void selo_station_join(void);
void selo_station_confirm(uint8_t same);
void selo_station_forget(void);
void selo_station_status(void);

#endif
