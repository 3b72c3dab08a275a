/*
 * An E32 radio module on the UART. Each frame of the link is one write, which the module sends as
 * one packet.
 */
#ifndef SELO_STATION_E32_H
#define SELO_STATION_E32_H

#include <selo.h>

void selo_e32_begin(void);

/* Returns 1 if a frame has arrived. */
uint8_t selo_e32_waiting(void);

/* Copies the frame that has arrived. Returns its size, or 0 if there is none. */
uint8_t selo_e32_receive(uint8_t frame[SELO_LINK_FRAME_MAX]);
/* Drops that frame. */
void selo_e32_drop(void);

/* Keeps a frame to send. Returns 0 if one is kept already. */
uint8_t selo_e32_put(const uint8_t *frame, uint8_t size);
/* Sends the frame that selo_e32_put kept, as soon as the module is awake and free. Sleeps meanwhile.
 * Interrupts must be on. */
void selo_e32_flush(void);

/* Returns 1 while bytes pass between the module and the chip. The UART must keep running then. */
uint8_t selo_e32_is_busy(void);

/* Call it when no frame is expected. Returns the milliseconds for which the module still listens for
 * the gateway. After that time it puts the module to sleep, until the next frame. The module must
 * not be busy. */
uint32_t selo_e32_window(void);

/* Returns 1 if the module did not accept the last frame. */
uint8_t selo_e32_lost(void);

#endif
