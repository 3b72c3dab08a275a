/*
 * The serial line on UART 0. The interrupt decodes bytes as they arrive, into one of two buffers: one
 * is filled while the main loop reads the other. A handshake computes for seconds, and must not lose
 * a frame that arrives meanwhile.
 */
#include "serial.h"
#include "frame.h"
#include "selo_station/idle.h"
#include "selo_station/uart.h"

#include <avr/io.h>
#include <string.h>

/* 115,200 is safe with the Uno's USB bridge. */
#ifndef NODE_BAUD
#define NODE_BAUD 115200UL
#endif
enum { BAUD_DIVIDER = (F_CPU + 4 * NODE_BAUD) / (8 * NODE_BAUD) - 1, CRC_BYTES = 2 };

static uint8_t bodies[2][1 + SERIAL_MAX];
static uint8_t filling; /* the decoder's buffer; the main loop has the other */
static volatile uint8_t ready_size; /* channel and bytes in the main loop's buffer; 0: none */
static struct frame_decoder decoder;

static uint8_t outgoing[1 + SERIAL_MAX + CRC_BYTES];
static uint8_t outgoing_size;

ISR(USART_RX_vect)
{
    if (frame_decode(&decoder, UDR0) != FRAME_COMPLETE || ready_size != 0)
        return;
    ready_size = (uint8_t)decoder.length;
    filling ^= 1;
    frame_decoder_start(&decoder, bodies[filling], sizeof bodies[0]);
}

/* This interrupt has no other task than to wake the core. */
ISR(USART_UDRE_vect) { UCSR0B &= (uint8_t)~_BV(UDRIE0); }

void serial_begin(void)
{
    frame_decoder_start(&decoder, bodies[0], sizeof bodies[0]);
    UCSR0A = _BV(U2X0);
    UBRR0 = BAUD_DIVIDER;
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00); /* 8 data bits, no parity, 1 stop bit */
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
}

/* ---- Receiving ------------------------------------------------------------------ */

uint8_t serial_waiting(void) { return ready_size != 0; }

const uint8_t *serial_peek(enum serial_channel *channel, uint8_t *size)
{
    if (ready_size == 0)
        return NULL;
    const uint8_t *body = bodies[filling ^ 1]; /* the frame stays there while ready_size is set */
    *channel = (enum serial_channel)body[0];
    *size = (uint8_t)(ready_size - 1);
    return body + 1;
}

void serial_take(void) { ready_size = 0; }

/* ---- Sending -------------------------------------------------------------------- */

uint8_t serial_put(enum serial_channel channel, const void *bytes, uint8_t size)
{
    if (outgoing_size != 0 || size > SERIAL_MAX)
        return 0;
    outgoing[0] = (uint8_t)channel;
    memcpy(outgoing + 1, bytes, size);
    outgoing_size = (uint8_t)(1 + size);
    return 1;
}

void serial_flush(void)
{
    if (outgoing_size == 0)
        return;
    frame_encode(outgoing, outgoing_size, selo_uart_write);
    outgoing_size = 0;
}
