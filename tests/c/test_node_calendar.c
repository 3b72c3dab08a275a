/* Converts a DS3231's registers to seconds and back: each second of a day and each day of a century,
 * against the C library's calendar. */
#define _DEFAULT_SOURCE /* timegm */
#include "selo_station/calendar.h"
#include "check.h"

#include <time.h>

enum { FIRST = 946684800, DAY = 86400, DAYS = 36525 };

static uint8_t digits(int number) { return (uint8_t)(number / 10 * 16 + number % 10); }

static void check_time(uint32_t seconds)
{
    time_t time = (time_t)seconds;
    struct tm tm;
    gmtime_r(&time, &tm);
    const uint8_t want[SELO_CALENDAR_BYTES] = {
        digits(tm.tm_sec), digits(tm.tm_min), digits(tm.tm_hour),
        (uint8_t)(tm.tm_wday == 0 ? 7 : tm.tm_wday), digits(tm.tm_mday), digits(tm.tm_mon + 1),
        digits(tm.tm_year - 100)};
    uint8_t got[SELO_CALENDAR_BYTES];
    CHECK(selo_calendar_registers(got, seconds) && memcmp(got, want, sizeof want) == 0);
    CHECK(selo_calendar_seconds(want) == seconds);
}

static void test_times(void)
{
    for (uint32_t day = 0; day < DAYS; day++)
        check_time(FIRST + day * DAY + day * 7919 % DAY);
    for (uint32_t second = 0; second < DAY; second++)
        check_time(1795343211 - 1795343211 % DAY + second);
    uint8_t registers[SELO_CALENDAR_BYTES];
    CHECK(!selo_calendar_registers(registers, 0));
    CHECK(!selo_calendar_registers(registers, FIRST - 1));
    CHECK(!selo_calendar_registers(registers, FIRST + (uint32_t)DAYS * DAY));
    CHECK(!selo_calendar_registers(registers, UINT32_MAX));
}

static void test_twelve_hours(void)
{
    uint8_t registers[SELO_CALENDAR_BYTES];
    CHECK(selo_calendar_registers(registers, 1795343211));
    uint32_t midnight = 1795343211 - 1795343211 % DAY + 1795343211 % 3600;
    for (int hour = 0; hour < 24; hour++) {
        int clock = hour % 12 == 0 ? 12 : hour % 12;
        registers[2] = (uint8_t)(0x40 | (hour >= 12 ? 0x20 : 0) | digits(clock));
        CHECK(selo_calendar_seconds(registers) == midnight + (uint32_t)hour * 3600);
    }
    registers[2] = 0x40;
    CHECK(selo_calendar_seconds(registers) == 0);
    registers[2] = 0x53;
    CHECK(selo_calendar_seconds(registers) == 0);
}

/* Register contents that no clock gives: an empty bus, invalid digits, the 30th of February. */
static void test_nonsense(void)
{
    static const uint8_t good[SELO_CALENDAR_BYTES] = {0x59, 0x59, 0x23, 7, 0x29, 0x02, 0x24};
    static const struct {
        uint8_t at, value;
    } bad[] = {{0, 0x60}, {0, 0x0A}, {0, 0xFF}, {1, 0x60}, {1, 0x1F}, {2, 0x24}, {2, 0x1A},
               {4, 0x00}, {4, 0x30}, {4, 0x0B}, {5, 0x00}, {5, 0x13}, {5, 0x82}, {6, 0xA0},
               {6, 0x23}};
    uint8_t registers[SELO_CALENDAR_BYTES];
    CHECK(selo_calendar_seconds(good) == 1709251199);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        memcpy(registers, good, sizeof good);
        registers[bad[i].at] = bad[i].value;
        CHECK(selo_calendar_seconds(registers) == 0);
    }
    memset(registers, 0xFF, sizeof registers);
    CHECK(selo_calendar_seconds(registers) == 0);
    memset(registers, 0, sizeof registers);
    CHECK(selo_calendar_seconds(registers) == 0);
}

static void test_temperatures(void)
{
    CHECK(selo_calendar_centidegrees(0x19, 0x40) == 2525);
    CHECK(selo_calendar_centidegrees(0x00, 0x00) == 0);
    CHECK(selo_calendar_centidegrees(0xFF, 0xC0) == -25);
    CHECK(selo_calendar_centidegrees(0xE7, 0x40) == -2475);
    CHECK(selo_calendar_centidegrees(0x7F, 0xC0) == 12775);
    CHECK(selo_calendar_centidegrees(0x80, 0x00) == -12800);
    CHECK(selo_calendar_centidegrees(0x19, 0x7F) == 2525); /* the low six bits do not count */
}

int main(void)
{
    test_times();
    test_twelve_hours();
    test_nonsense();
    test_temperatures();
    return check_report("node_calendar");
}
