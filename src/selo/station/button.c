/*
 * The button on PD2 (digital pin 2) with the chip's pull-up. The main loop wakes 61
 * times a second, which is often enough to look, and seldom enough that contacts have
 * stopped bouncing between two looks.
 */
#include "chip.h"

#if SELO_STATION

#include "button.h"
#include "clock.h"

#include <stddef.h>

enum { LOOK_MILLISECONDS = 15 };

void selo_button_begin(void) { PORTD |= _BV(PORTD2); }

uint8_t selo_button_pressed(void)
{
    static uint8_t was_down;
    static uint16_t last_look;
    uint16_t now = (uint16_t)selo_clock_milliseconds(NULL);
    if ((uint16_t)(now - last_look) < LOOK_MILLISECONDS)
        return 0;
    last_look = now;
    uint8_t down = !(PIND & _BV(PIND2)), pressed = down && !was_down;
    was_down = down;
    return pressed;
}

#endif
