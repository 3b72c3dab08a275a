/*
 * The surroundings of a rain gauge in the field: an E32 module to the gateway; a bucket, a clock and
 * a thermometer; a button and an output-only console for the operator.
 */
#include "chip.h"

#if SELO_STATION

#include "outside.h"
#include "button.h"
#include "clock.h"
#include "console.h"
#include "ds3231.h"
#include "e32.h"
#include "eeprom.h"
#include "gauge.h"
#include "idle.h"
#include "nap.h"
#include "station.h"

/* A downlink that sets the clock: this letter, then seconds since 1970, low byte first. */
enum { SET_CLOCK = 'T', SET_CLOCK_BYTES = 5 };

/* Contacts between a pin and ground: the button on digital pin 2, the bucket's on 3. Edges of INT0
 * and INT1 do not wake from power-down; pin changes do [ATMEGA328P, 12]. */
enum {
    CONTACT_BUTTON = _BV(PIND2),
    CONTACT_BUCKET = _BV(PIND3),
    CONTACTS = CONTACT_BUTTON | CONTACT_BUCKET,
    /* Milliseconds that the core stays awake after a pin change. */
    STIRRED_MILLISECONDS = 300
};

static uint8_t levels;
static uint32_t stirred;

ISR(PCINT2_vect, ISR_BLOCK) /* also for the module's AUX, which only wakes the core */
{
    uint8_t now = PIND & CONTACTS, changed = now ^ levels;
    levels = now;
    if (changed == 0)
        return;
    selo_nap_end();
    stirred = selo_clock_milliseconds(NULL);
    if (changed & ~now & CONTACT_BUCKET && selo_gauge_edge(stirred))
        selo_eeprom_wake();
}

void selo_outside_begin(void)
{
    PORTD |= _BV(PORTD7) | _BV(PORTD3); /* the console idles high; a pull-up */
    DDRD |= _BV(DDD7);
    selo_e32_begin();
    selo_ds3231_begin();
    selo_gauge_begin();
    levels = CONTACTS; /* open; a contact that is closed now is an edge at the next pin change */
    PCMSK2 |= CONTACTS;
    PCIFR = _BV(PCIF2);
    PCICR |= _BV(PCIE2);
}

uint8_t selo_outside_waiting(void) { return selo_e32_waiting(); }
void selo_outside_flush(void) { selo_e32_flush(); }
uint8_t selo_outside_byte(uint16_t *address, uint8_t *value) { return selo_gauge_byte(address, value); }

void selo_outside_sleep(uint32_t milliseconds)
{
    uint32_t window;
    if (milliseconds == 0 || selo_e32_is_busy() || selo_gauge_is_storing() || selo_button_is_held()
        || selo_clock_milliseconds(NULL) - stirred < STIRRED_MILLISECONDS) {
        selo_idle();
        return;
    }
    window = selo_e32_window();
    selo_nap(window < milliseconds ? window : milliseconds);
}

enum selo_status selo_outside_send(void *unused, const uint8_t *frame, uint8_t size)
{
    (void)unused;
    return selo_e32_put(frame, size) ? SELO_OK : SELO_ERROR_SEND;
}

uint8_t selo_outside_receive(void *unused, uint8_t frame[SELO_LINK_FRAME_MAX])
{
    (void)unused;
    return selo_e32_receive(frame);
}

void selo_outside_payload(const uint8_t *bytes, uint8_t size)
{
    uint32_t seconds = 0;
    if (size != SET_CLOCK_BYTES || bytes[0] != SET_CLOCK) {
        SELO_CONSOLE("a payload of no use");
        return;
    }
    for (uint8_t i = SET_CLOCK_BYTES - 1; i > 0; i--)
        seconds = seconds << 8 | bytes[i];
    if (selo_ds3231_set(seconds))
        SELO_CONSOLE("clock set");
    else
        SELO_CONSOLE("clock not set");
}

/* A button held at power-on makes the station forget its keys, so that a station that has lost its
 * gateway can start again. The button reports nothing else until it has been released. */
static void look_at_button(void)
{
    static uint8_t looked;
    if (looked)
        return;
    looked = 1;
    if (selo_button_is_down())
        selo_station_forget();
}

uint8_t selo_outside_step(void)
{
    look_at_button();
    if (!selo_e32_waiting())
        return 0;
    if (!selo_station_poll())
        selo_e32_drop();
    return 1;
}

#endif
