/*
 * The surroundings of the node: the connection to its gateway, and its operator. field.c has a
 * radio, sensors and an output-only console; studies/firmware/node/serial has one line for all.
 */
#ifndef SELO_STATION_OUTSIDE_H
#define SELO_STATION_OUTSIDE_H

#include <selo.h>

void selo_outside_begin(void);

/* Returns 1 if something has arrived; selo_outside_step then has work to do. */
uint8_t selo_outside_waiting(void);

/* Processes one thing that has arrived, by selo_station_poll and similar functions. Returns 0 if
 * there is none. */
uint8_t selo_outside_step(void);

/* For struct selo_hal. `send` only keeps the frame, so no call of the library waits for the
 * transport. Call selo_outside_flush afterwards. */
enum selo_status selo_outside_send(void *unused, const uint8_t *frame, uint8_t size);
uint8_t selo_outside_receive(void *unused, uint8_t frame[SELO_LINK_FRAME_MAX]);

/* Sends the frame that was kept, if there is one, and sleeps meanwhile. Interrupts must be on. */
void selo_outside_flush(void);

/* Gives the next byte to program into the EEPROM in the background, after selo_eeprom_wake.
 * Returns 0 if there is none. Call it from an interrupt. */
uint8_t selo_outside_byte(uint16_t *address, uint8_t *value);

/* Sleeps until something happens. For this many milliseconds nothing is due and no frame is
 * expected; 0: the node must keep listening. Call it with interrupts off, after checking that
 * nothing waits. Returns with interrupts on. */
void selo_outside_sleep(uint32_t milliseconds);

/* Processes a payload from the gateway. */
void selo_outside_payload(const uint8_t *bytes, uint8_t size);

#endif
