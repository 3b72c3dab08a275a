/*
 * A button between digital pin 2 and ground: the operator's word where there is no
 * console.
 */
#ifndef SELO_STATION_BUTTON_H
#define SELO_STATION_BUTTON_H

#include <stdint.h>

void selo_button_begin(void);

/* 1 once for each press. To be asked at least every 20 ms; presses shorter than that
 * may be missed, and contacts may bounce for as long. */
uint8_t selo_button_pressed(void);

#endif
