/*
 * A sealed sensor on an Arduino Uno: it pairs, joins and sends readings. README.md describes the
 * surroundings.
 */
#include <selo_station.h>

#ifndef NODE_PERIOD_MS
#define NODE_PERIOD_MS 60000
#endif
#ifndef NODE_BANDGAP_MILLIVOLTS
#define NODE_BANDGAP_MILLIVOLTS 1100
#endif

const uint32_t selo_station_period = NODE_PERIOD_MS;
const uint16_t selo_battery_bandgap = NODE_BANDGAP_MILLIVOLTS;

int main(void)
{
    selo_station_begin();
    for (;;)
        selo_station_work();
}
