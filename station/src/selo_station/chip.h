/*
 * The chip that the station's drivers support. On every other chip the drivers are empty. The
 * command line can set both macros.
 *
 *  SELO_STATION  1 if the chip has the peripherals of an ATmega328P, else 0
 *  SELO_EEPROM   1 if the functions of eeprom.h exist; the default is SELO_STATION. A test sets it to
 *                1 and provides its own functions
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
