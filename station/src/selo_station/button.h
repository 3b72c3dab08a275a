/*
 * A button between digital pin 2 and ground, for the operator of a station without a console. A
 * short press and a long press have different meanings.
 */
#ifndef SELO_STATION_BUTTON_H
#define SELO_STATION_BUTTON_H

#include <stdint.h>

enum { SELO_BUTTON_LONG_MILLISECONDS = 2000 };

enum selo_press {
    SELO_PRESS_NONE,
    SELO_PRESS_SHORT, /* reported when the button is released */
    SELO_PRESS_LONG   /* reported after two seconds, while the button is still held */
};

void selo_button_begin(void);

/* Reports each press once. Call it at least every 20 ms while the button is held. A press shorter
 * than two samples, 15 ms apart, does not count, and contacts may bounce for up to one sample. A
 * button held at the start reports nothing until it has been released. */
enum selo_press selo_button_press(void);

/* Returns 1 while the button is, or may be, held. */
uint8_t selo_button_is_held(void);

/* Returns the level of the pin now, without debouncing. */
uint8_t selo_button_is_down(void);

#endif
