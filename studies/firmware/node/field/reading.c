/*
 * The rain gauge's reading, taken by the library.
 */
#include <selo_station.h>

void selo_station_reading(struct selo_reading *reading) { selo_reading_take(reading); }
