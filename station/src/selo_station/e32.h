/*
 * An E32 radio module on the UART: a frame of the link is one write, which the module
 * sends as one packet.
 */
#ifndef SELO_STATION_E32_H
#define SELO_STATION_E32_H

#include <selo.h>

void selo_e32_begin(void);

/* 1 if a frame has come. */
uint8_t selo_e32_waiting(void);

/* Takes the frame that has come; its size, or 0 if there is none. */
uint8_t selo_e32_receive(uint8_t frame[SELO_LINK_FRAME_MAX]);
/* Drops it. */
void selo_e32_drop(void);

/* Keeps a frame to be sent; 0 if there is one already. */
uint8_t selo_e32_put(const uint8_t *frame, uint8_t size);
/* Sends what selo_e32_put has kept, as soon as the module is awake and free; sleeps meanwhile.
 * Interrupts must be on. */
void selo_e32_flush(void);

/* 1 while bytes pass between the module and the chip, whose UART must then go on. */
uint8_t selo_e32_is_busy(void);

/* No frame is awaited: for how many milliseconds the module still listens for what the
 * gateway may have to say. When they are over it is put to sleep, until the next frame.
 * It must not be busy. */
uint32_t selo_e32_window(void);

/* 1 if the module did not take the last frame. */
uint8_t selo_e32_lost(void);

#endif
