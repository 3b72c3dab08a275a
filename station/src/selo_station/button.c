/*
 * The button on PD2 (digital pin 2) with the chip's pull-up. The main loop samples it 61 times a
 * second. This is often enough to see a press, and slow enough that contacts stop bouncing between
 * two samples.
 */
#include "chip.h"

#if SELO_STATION

#include "button.h"
#include "clock.h"

#include <stddef.h>

enum {
    LOOK_MILLISECONDS = 15,
    LOOKS_SHORT = 2, /* a single sample may be a spark */
    LOOKS_LONG = (SELO_BUTTON_LONG_MILLISECONDS + LOOK_MILLISECONDS - 1) / LOOK_MILLISECONDS,
    TOLD = 255
};
_Static_assert(LOOKS_LONG < TOLD, "a long press is counted in a byte");

/* Consecutive samples with the button down. */
static uint8_t looks = TOLD;

void selo_button_begin(void) { PORTD |= _BV(PORTD2); }

uint8_t selo_button_is_down(void) { return !(PIND & _BV(PIND2)); }

uint8_t selo_button_is_held(void) { return looks != 0; }

enum selo_press selo_button_press(void)
{
    static uint8_t last_look;
    uint8_t now = (uint8_t)selo_clock_milliseconds(NULL), before = looks;
    if ((uint8_t)(now - last_look) < LOOK_MILLISECONDS)
        return SELO_PRESS_NONE;
    last_look = now;
    if (!selo_button_is_down()) {
        looks = 0;
        return before >= LOOKS_SHORT && before != TOLD ? SELO_PRESS_SHORT : SELO_PRESS_NONE;
    }
    if (before == TOLD)
        return SELO_PRESS_NONE;
    if (before == LOOKS_LONG - 1) {
        looks = TOLD;
        return SELO_PRESS_LONG;
    }
    looks++;
    return SELO_PRESS_NONE;
}

#endif
