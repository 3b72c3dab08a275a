/*
 * The transmitter. Every five seconds it takes a reading of gauge, clock, thermometer and battery,
 * encrypts it, and gives it to the radio. With D2 at ground it sends packets as fast as the radio
 * accepts them. Each packet has three spans: the reading, the cipher, the radio.
 */
#include "selo_station/battery.h"
#include "selo_station/clock.h"
#include "selo_station/e32.h"
#include "selo_station/eeprom.h"
#include "selo_station/gauge.h"
#include "selo_station/idle.h"
#include "selo_station/outside.h"
#include "selo_station/reading.h"
#include "packet.h"
#include "port.h"
#include "start.h"

#include <stddef.h>

_Static_assert(sizeof(struct selo_reading) == PACKET_BYTES, "a reading is a block");

const uint16_t selo_battery_bandgap = 1100;

enum { PERIOD_MILLISECONDS = 5000 };

/* The bucket's contact, between D3 and ground. */
ISR(INT1_vect)
{
    if (selo_gauge_edge(selo_clock_milliseconds(NULL)))
        selo_eeprom_wake();
}

uint8_t selo_outside_byte(uint16_t *address, uint8_t *value) { return selo_gauge_byte(address, value); }

static void sensors(void)
{
    PORTD |= _BV(PORTD2) | _BV(PORTD3); /* pull-ups */
    selo_gauge_begin();
    EICRA = _BV(ISC11); /* a falling edge */
    EIFR = _BV(INTF1);
    EIMSK = _BV(INT1);
}

static uint8_t due(void)
{
    static uint32_t last;
    static uint8_t not_first;
    uint32_t now = selo_clock_milliseconds(NULL);
    if (not_first && (PIND & _BV(PIND2)) && now - last < PERIOD_MILLISECONDS)
        return 0;
    not_first = 1;
    last = now;
    return 1;
}

static void send(void)
{
    struct selo_reading packet;
    PORT_MARK(1);
    selo_reading_take(&packet);
    PORT_MARK(2);
    PORT_MARK(1);
    packet_encrypt(&packet);
    PORT_MARK(2);
    PORT_MARK(1);
    selo_e32_put((const uint8_t *)&packet, sizeof packet);
    selo_e32_flush();
    PORT_MARK(2);
}

int main(void)
{
    begin(sensors);
    for (;;) {
        if (due()) {
            send();
            continue;
        }
        cli();
        selo_idle(); /* the clock wakes the core 61 times a second */
    }
}
