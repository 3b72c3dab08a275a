/*
 * The chip whose peripherals the station's drivers know. On every other they are nothing.
 */
#ifndef SELO_STATION_CHIP_H
#define SELO_STATION_CHIP_H

#include "../common/platform.h"

#if SELO_STATION
#include <avr/interrupt.h>
#include <avr/io.h>

#ifndef F_CPU
#define F_CPU 16000000UL /* the Uno's */
#endif
#endif

#endif
