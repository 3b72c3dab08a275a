/*
 * Each byte has two decimal digits, the high digit first. The hours may be in 12 or 24 hour form.
 * From 2000 to 2099 every fourth year is a leap year.
 */
#include "calendar.h"

enum { TWELVE_HOURS = 0x40, AFTERNOON = 0x20, CENTURY = 0x80, YEARS = 100, FOUR_YEARS = 1461 };

#define YEAR_2000 ((uint32_t)946684800)
#define DAY_SECONDS ((uint32_t)86400)
#define NO_DIGITS 255

static uint8_t from_digits(uint8_t digits)
{
    uint8_t high = digits >> 4, low = digits & 15;
    return high > 9 || low > 9 ? NO_DIGITS : (uint8_t)(10 * high + low);
}

static uint8_t to_digits(uint8_t number) { return (uint8_t)(number / 10 << 4 | number % 10); }

static uint8_t days_of(uint8_t month, uint8_t year)
{
    if (month == 2)
        return year % 4 == 0 ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

static uint8_t hour_from(uint8_t digits)
{
    if (!(digits & TWELVE_HOURS))
        return from_digits(digits);
    uint8_t hour = from_digits(digits & 0x1F);
    if (hour < 1 || hour > 12)
        return NO_DIGITS;
    return (uint8_t)(hour % 12 + (digits & AFTERNOON ? 12 : 0));
}

uint32_t selo_calendar_seconds(const uint8_t registers[SELO_CALENDAR_BYTES])
{
    uint8_t second = from_digits(registers[0]), minute = from_digits(registers[1]);
    uint8_t hour = hour_from(registers[2]), day = from_digits(registers[4]);
    uint8_t month = from_digits(registers[5]), year = from_digits(registers[6]);
    if (second > 59 || minute > 59 || hour > 23 || month < 1 || month > 12 || year >= YEARS
        || day < 1 || day > days_of(month, year))
        return 0; /* a century bit is not a valid month either */
    uint16_t days = (uint16_t)(365 * year + (year + 3) / 4 + day - 1);
    for (uint8_t m = 1; m < month; m++)
        days = (uint16_t)(days + days_of(m, year));
    return YEAR_2000 + days * DAY_SECONDS + hour * (uint32_t)3600 + minute * 60U + second;
}

uint8_t selo_calendar_registers(uint8_t registers[SELO_CALENDAR_BYTES], uint32_t seconds)
{
    if (seconds < YEAR_2000)
        return 0;
    uint32_t since = seconds - YEAR_2000, of_day = since % DAY_SECONDS;
    uint16_t days = (uint16_t)(since / DAY_SECONDS);
    if (days >= YEARS / 4 * (uint16_t)FOUR_YEARS)
        return 0;
    registers[3] = (uint8_t)((days + 5) % 7 + 1); /* 1 is Monday; 2000 began on a Saturday */
    uint8_t year = (uint8_t)(days / FOUR_YEARS * 4), month = 1;
    for (days %= FOUR_YEARS; days >= (year % 4 == 0 ? 366 : 365); year++)
        days = (uint16_t)(days - (year % 4 == 0 ? 366 : 365));
    for (; days >= days_of(month, year); month++)
        days = (uint16_t)(days - days_of(month, year));
    registers[0] = to_digits((uint8_t)(of_day % 60));
    registers[1] = to_digits((uint8_t)(of_day / 60 % 60));
    registers[2] = to_digits((uint8_t)(of_day / 3600));
    registers[4] = to_digits((uint8_t)(days + 1));
    registers[5] = to_digits(month);
    registers[6] = to_digits(year);
    return 1;
}

int16_t selo_calendar_centidegrees(uint8_t high, uint8_t low)
{
    int16_t quarters = (int16_t)(4 * (high < 128 ? high : high - 256) + (low >> 6));
    return (int16_t)(25 * quarters);
}
