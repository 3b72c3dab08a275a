/*
 * Text from the node to its operator, one line at a time. The texts are in flash.
 */
#ifndef SELO_STATION_CONSOLE_H
#define SELO_STATION_CONSOLE_H

#include "chip.h"

#if SELO_STATION

#include <avr/pgmspace.h>

/* Prints `text` from flash, then the number: in decimal with at least `digits` digits, or in
 * hexadecimal (base 16). Base 0 prints no number. */
void selo_console_say(const char *text, uint32_t number, uint8_t base, uint8_t digits);

#define SELO_CONSOLE(text) selo_console_say(PSTR(text), 0, 0, 0)
#define SELO_CONSOLE_NUMBER(text, number) selo_console_say(PSTR(text), (number), 10, 1)
#define SELO_CONSOLE_DIGITS(text, number) selo_console_say(PSTR(text), (number), 10, 6)
#define SELO_CONSOLE_HEX(text, number) selo_console_say(PSTR(text), (number), 16, 8)

#endif

#endif
