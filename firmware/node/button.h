/*
 * A button between digital pin 2 and ground: the operator's word where there is no
 * console.
 */
#ifndef NODE_BUTTON_H
#define NODE_BUTTON_H

#include <stdint.h>

void button_begin(void);

/* 1 once for each press. To be asked at least every 20 ms; presses shorter than that
 * may be missed, and contacts may bounce for as long. */
uint8_t button_pressed(void);

#endif
