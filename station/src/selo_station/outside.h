/*
 * What is around the node: the way to its gateway, and whoever looks after it. field.c has
 * a radio, sensors and a console that only speaks; lab/firmware/node/serial one line for all.
 */
#ifndef SELO_STATION_OUTSIDE_H
#define SELO_STATION_OUTSIDE_H

#include <selo.h>

void selo_outside_begin(void);

/* 1 if something has come: selo_outside_step then has something to do. */
uint8_t selo_outside_waiting(void);

/* Takes one thing that has come, by selo_station_poll and its like; 0 if there is none. */
uint8_t selo_outside_step(void);

/* For struct selo_hal. `send` only keeps the frame, so that no call of the library
 * waits for the carrier: selo_outside_flush after it. */
enum selo_status selo_outside_send(void *unused, const uint8_t *frame, uint8_t size);
uint8_t selo_outside_receive(void *unused, uint8_t frame[SELO_LINK_FRAME_MAX]);

/* Sends the frame that was kept, if there is one; sleeps meanwhile. Interrupts must be on. */
void selo_outside_flush(void);

/* The next byte for the EEPROM that is to be programmed in the background, after
 * selo_eeprom_wake; 0 if there is none. From an interrupt. */
uint8_t selo_outside_byte(uint16_t *address, uint8_t *value);

/* Sleeps until something happens. For so many milliseconds nothing is due and no frame is
 * awaited; 0: the node may not be away. To be called with interrupts off, after looking
 * that nothing is waiting; returns with interrupts on. */
void selo_outside_sleep(uint32_t milliseconds);

/* A payload from the gateway. */
void selo_outside_payload(const uint8_t *bytes, uint8_t size);

#endif
