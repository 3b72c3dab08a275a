/*
 * A rain gauge in the field: an E32 module for the gateway; a bucket, a clock and a
 * thermometer; a button and a console that only speaks for the operator.
 */
#include "outside.h"
#include "button.h"
#include "clock.h"
#include "console.h"
#include "ds3231.h"
#include "e32.h"
#include "gauge.h"
#include "station.h"

#include <avr/interrupt.h>
#include <avr/io.h>

/* The gateway sets the clock: this letter, then seconds since 1970, low byte first. */
enum { SET_CLOCK = 'T', SET_CLOCK_BYTES = 5 };

/* The bucket's contact, between digital pin 3 and ground. */
ISR(INT1_vect) { gauge_edge(clock_milliseconds(NULL)); }

void outside_begin(void)
{
    PORTD |= _BV(PORTD7) | _BV(PORTD3); /* the console's line rests high; a pull-up */
    DDRD |= _BV(DDD7);
    e32_begin();
    ds3231_begin();
    gauge_begin();
    EICRA = _BV(ISC11); /* a falling edge */
    EIFR = _BV(INTF1);
    EIMSK = _BV(INT1);
}

uint8_t outside_waiting(void) { return e32_waiting() || gauge_waiting(); }
/* A module that is busy, or gone, must not keep tips from being stored. */
void outside_flush(void) { e32_flush(gauge_store); }

enum selo_status outside_send(void *unused, const uint8_t *frame, uint8_t size)
{
    (void)unused;
    return e32_put(frame, size) ? SELO_OK : SELO_ERROR_SEND;
}

uint8_t outside_receive(void *unused, uint8_t frame[SELO_LINK_FRAME_MAX])
{
    (void)unused;
    return e32_receive(frame);
}

void outside_payload(const uint8_t *bytes, uint8_t size)
{
    uint32_t seconds = 0;
    if (size != SET_CLOCK_BYTES || bytes[0] != SET_CLOCK) {
        CONSOLE("a payload of no use");
        return;
    }
    for (uint8_t i = SET_CLOCK_BYTES - 1; i > 0; i--)
        seconds = seconds << 8 | bytes[i];
    if (ds3231_set(seconds))
        CONSOLE("clock set");
    else
        CONSOLE("clock not set");
}

/* A button that is held when the power comes forgets the keys: the way back for a
 * station that has lost its gateway. */
static void look_at_button(void)
{
    static uint8_t looked;
    if (looked)
        return;
    looked = 1;
    if (button_pressed()) {
        station_forget();
        station_pair();
    }
}

uint8_t outside_step(void)
{
    look_at_button();
    if (gauge_waiting()) {
        gauge_store();
        return 1;
    }
    if (!e32_waiting())
        return 0;
    if (!station_poll())
        e32_drop();
    return 1;
}
