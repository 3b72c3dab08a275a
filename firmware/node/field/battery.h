/*
 * The chip's supply: a battery's voltage where the board hangs on one directly.
 */
#ifndef NODE_BATTERY_H
#define NODE_BATTERY_H

#include <stdint.h>

uint16_t battery_millivolts(void);

#endif
