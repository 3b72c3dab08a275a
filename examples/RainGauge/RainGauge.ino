#include <selo_station.h>
extern "C" {
const uint32_t selo_station_period = 5000;
const uint16_t selo_battery_bandgap = 1100;
void selo_station_reading(struct selo_reading *reading) { selo_reading_take(reading); }
}
void setup() { selo_station_begin(); }
void loop() { selo_station_work(); }
