/*
 * The E32 module in normal mode: M0 and M1 are low, and AUX is low while it is busy
 * [E32-MANUAL, 5.6]. It outputs only the bytes of a packet, so a silence of three bytes ends a
 * frame. Timer 2 restarts with each byte, and its interrupt hands the frame over. There are two
 * buffers, because a handshake computes for seconds and must not lose a frame that arrives
 * meanwhile.
 *
 * While no frame is expected the module sleeps, M0 and M1 high. It then neither receives nor sends.
 * It stays awake for WINDOW_MILLISECONDS after each frame that it has sent, for the gateway's
 * answer.
 */
#include "chip.h"

#if SELO_STATION

#include "e32.h"
#include "clock.h"
#include "idle.h"
#include "uart.h"

#include <string.h>

/* Long enough for a frame and its answer at 2.4 kbit/s: 0.6 s on the air each, and the UARTs. */
#ifndef SELO_E32_WINDOW_MS
#define SELO_E32_WINDOW_MS 2000
#endif

enum {
    BAUD = 9600, /* the factory setting of the module */
    BAUD_DIVIDER = (F_CPU + 4UL * BAUD) / (8UL * BAUD) - 1,
    M0 = _BV(PORTD4),
    M1 = _BV(PORTD5),
    AUX = _BV(PORTD6),
    /* Timeout after a byte: the time of one byte and three of silence. */
    SILENCE_TICKS = 4UL * 10 * F_CPU / BAUD / 1024 + 1,
    TOO_LONG = SELO_LINK_FRAME_MAX + 1,
    /* A frame takes 4 s on the air at the lowest rate. */
    PATIENCE_MILLISECONDS = 6000,
    SETTLE_MILLISECONDS = 2, /* wait after AUX goes high [E32-MANUAL, 5.6.4] */
    /* Wait after M0 and M1 go low, until AUX shows that the module is busy. */
    WAKE_MILLISECONDS = 10,
    WINDOW_MILLISECONDS = SELO_E32_WINDOW_MS
};
_Static_assert(SILENCE_TICKS < 256, "timer 2 has 8 bits");

static uint8_t frames[2][SELO_LINK_FRAME_MAX];
static uint8_t filling, filled; /* the receiver's buffer, and the bytes in it */
static volatile uint8_t ready_size; /* size of the frame in the other buffer; 0: none */
static uint8_t outgoing[SELO_LINK_FRAME_MAX], outgoing_size;
static uint8_t lost;
static uint32_t flushed; /* start of the window */

ISR(USART_RX_vect, ISR_BLOCK)
{
    uint8_t errors = UCSR0A & (_BV(FE0) | _BV(DOR0)), byte = UDR0;
    if (errors || filled >= SELO_LINK_FRAME_MAX)
        filled = TOO_LONG;
    else
        frames[filling][filled++] = byte;
    TCNT2 = 0;
    TIFR2 = _BV(OCF2A);
    TCCR2B = _BV(CS22) | _BV(CS21) | _BV(CS20); /* 1,024 cycles a tick */
}

ISR(TIMER2_COMPA_vect, ISR_BLOCK)
{
    if (UCSR0A & _BV(RXC0))
        return; /* a byte arrived while interrupts were off; it restarts the silence */
    TCCR2B = 0;
    if (filled < TOO_LONG && ready_size == 0) {
        ready_size = filled;
        filling ^= 1;
    }
    filled = 0;
}

/* Only wakes the core. */
ISR(USART_UDRE_vect, ISR_BLOCK) { UCSR0B &= (uint8_t)~_BV(UDRIE0); }

void selo_e32_begin(void)
{
    PORTD |= AUX; /* a pull-up, in case the module is absent */
    DDRD |= M0 | M1;
    PCMSK2 |= AUX;
    TCCR2A = _BV(WGM21);
    OCR2A = SILENCE_TICKS - 1;
    TIMSK2 = _BV(OCIE2A);
    UCSR0A = _BV(U2X0);
    UBRR0 = BAUD_DIVIDER;
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00); /* 8 data bits, no parity, 1 stop bit */
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
}

/* ---- Receiving ------------------------------------------------------------------ */

uint8_t selo_e32_waiting(void) { return ready_size != 0; }
void selo_e32_drop(void) { ready_size = 0; }

uint8_t selo_e32_receive(uint8_t frame[SELO_LINK_FRAME_MAX])
{
    uint8_t size = ready_size;
    if (size != 0)
        memcpy(frame, frames[filling ^ 1], size); /* stays there while ready_size is set */
    selo_e32_drop();
    return size;
}

/* ---- Sending -------------------------------------------------------------------- */

uint8_t selo_e32_put(const uint8_t *frame, uint8_t size)
{
    if (outgoing_size != 0 || size > SELO_LINK_FRAME_MAX)
        return 0;
    memcpy(outgoing, frame, size);
    outgoing_size = size;
    return 1;
}

static uint8_t is_free(void) { return (PIND & AUX) != 0; }

static uint8_t is_asleep(void) { return (PORTD & M0) != 0; }

/* Waits until the module has been free for that time. Returns 0 if it does not become free. */
static uint8_t wait_until_free(uint8_t settle)
{
    uint32_t start = selo_clock_milliseconds(NULL), since = start, now;
    do {
        now = selo_clock_milliseconds(NULL);
        if (!is_free()) {
            since = now;
            cli();
            if (is_free())
                sei();
            else
                selo_idle();
        }
        if (now - start > PATIENCE_MILLISECONDS)
            return 0;
    } while (now - since <= settle);
    return 1;
}

void selo_e32_flush(void)
{
    if (outgoing_size == 0)
        return;
    uint8_t settle = SETTLE_MILLISECONDS;
    if (is_asleep()) {
        PORTD &= (uint8_t)~(M0 | M1);
        settle = WAKE_MILLISECONDS;
    }
    lost = !wait_until_free(settle);
    if (!lost) {
        for (uint8_t i = 0; i < outgoing_size; i++)
            selo_uart_write(outgoing[i]);
        /* All but two bytes have arrived, so a module that is present is busy with them. */
        lost = outgoing_size > 2 && is_free();
    }
    outgoing_size = 0;
    flushed = selo_clock_milliseconds(NULL);
}

/* ---- Sleeping ------------------------------------------------------------------- */

uint8_t selo_e32_is_busy(void)
{
    /* A module that is present shows by AUX that the last two bytes are still on the line. */
    return !is_free() || TCCR2B != 0
           || selo_clock_milliseconds(NULL) - flushed <= 2 * SETTLE_MILLISECONDS;
}

uint32_t selo_e32_window(void)
{
    uint32_t since = selo_clock_milliseconds(NULL) - flushed;
    if (is_asleep())
        return UINT32_MAX;
    if (since < WINDOW_MILLISECONDS)
        return WINDOW_MILLISECONDS - since;
    PORTD |= M0 | M1;
    return UINT32_MAX;
}

uint8_t selo_e32_lost(void) { return lost; }

#endif
