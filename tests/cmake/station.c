/* Links against the station's CMake target: the first second of 2000. */
#include <selo_station.h>
#include <selo_station/calendar.h>

int main(void)
{
    static const uint8_t registers[SELO_CALENDAR_BYTES] = {0, 0, 0, 7, 1, 1, 0};

    return selo_calendar_seconds(registers) == 946684800 ? 0 : 1;
}
