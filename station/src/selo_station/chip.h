/*
 * The chip whose peripherals the station's drivers know. On every other chip the drivers are
 * empty. Both macros can be set on the command line.
 *
 *  SELO_STATION  the chip has the peripherals of an ATmega328P; else 0
 *  SELO_EEPROM   the functions of eeprom.h exist; by default as SELO_STATION. A test sets it to
 *                1 and brings functions of its own
 */
#ifndef SELO_STATION_CHIP_H
#define SELO_STATION_CHIP_H

#include <stdint.h>

#ifndef SELO_STATION
#if defined(__AVR_ATmega328P__)
#define SELO_STATION 1
#else
#define SELO_STATION 0
#endif
#endif

#ifndef SELO_EEPROM
#define SELO_EEPROM SELO_STATION
#endif

#if SELO_STATION
#include <avr/interrupt.h>
#include <avr/io.h>

#ifndef F_CPU
#define F_CPU 16000000UL /* the Uno's */
#endif
#endif

#endif
