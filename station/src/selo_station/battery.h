/*
 * The chip's supply voltage, which is the battery's where the battery supplies the board directly.
 */
#ifndef SELO_STATION_BATTERY_H
#define SELO_STATION_BATTERY_H

#include <stdint.h>

/* Defined by the program: the chip's reference in millivolts, 1100 or as measured. */
extern const uint16_t selo_battery_bandgap;

uint16_t selo_battery_millivolts(void);

#endif
