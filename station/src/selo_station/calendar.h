/*
 * Converts the registers of a DS3231 [DS3231, Timekeeping Registers, Temperature Registers] to
 * seconds since 1970 and hundredths of a degree.
 */
#ifndef SELO_STATION_CALENDAR_H
#define SELO_STATION_CALENDAR_H

#include <stdint.h>

/* Seconds, minutes, hours, day of the week, day, month, year. */
enum { SELO_CALENDAR_BYTES = 7 };

/* Returns seconds since 1970, for the years 2000 to 2099, or 0 if the registers hold no time. */
uint32_t selo_calendar_seconds(const uint8_t registers[SELO_CALENDAR_BYTES]);

/* Writes the registers for that time. Returns 0, and writes nothing, outside those years. */
uint8_t selo_calendar_registers(uint8_t registers[SELO_CALENDAR_BYTES], uint32_t seconds);

/* Hundredths of a degree Celsius, from the registers 11h and 12h. */
int16_t selo_calendar_centidegrees(uint8_t high, uint8_t low);

#endif
