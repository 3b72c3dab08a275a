/*
 * A button between digital pin 2 and ground: the operator's word where there is no
 * console. A short press and a long one say different things.
 */
#ifndef SELO_STATION_BUTTON_H
#define SELO_STATION_BUTTON_H

#include <stdint.h>

enum { SELO_BUTTON_LONG_MILLISECONDS = 2000 };

enum selo_press {
    SELO_PRESS_NONE,
    SELO_PRESS_SHORT, /* told when the button is let go */
    SELO_PRESS_LONG   /* told while it is still held, after two seconds */
};

void selo_button_begin(void);

/* Each press once. To be asked at least every 20 ms while the button is held; a press shorter
 * than two looks, 15 ms apart, is none, and contacts may bounce for as long as one. A button
 * that was held at the start says nothing until it has been let go. */
enum selo_press selo_button_press(void);

/* 1 while the button is held, or may be. */
uint8_t selo_button_is_held(void);

/* The level now, bounces and all. */
uint8_t selo_button_is_down(void);

#endif
