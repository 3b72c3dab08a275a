/*
 * What the node has to say to its operator, a line of text at a time. Texts are kept in
 * flash.
 */
#ifndef NODE_CONSOLE_H
#define NODE_CONSOLE_H

#include <avr/pgmspace.h>
#include <stdint.h>

/* `text` in flash, then the number: in decimal, with at least `digits` digits, or in
 * hexadecimal (base 16). No number with base 0. */
void console_say(const char *text, uint32_t number, uint8_t base, uint8_t digits);

#define CONSOLE(text) console_say(PSTR(text), 0, 0, 0)
#define CONSOLE_NUMBER(text, number) console_say(PSTR(text), (number), 10, 1)
#define CONSOLE_DIGITS(text, number) console_say(PSTR(text), (number), 10, 6)
#define CONSOLE_HEX(text, number) console_say(PSTR(text), (number), 16, 8)

#endif
