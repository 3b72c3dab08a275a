/*
 * Selo: a station, which is a sealed sensor on an ATmega328P (Arduino Uno).
 *
 * It does the work around the link of selo.h. It pairs when its button is pressed, joins by itself,
 * keeps its keys in the EEPROM, sends a reading each period through an E32 radio module, sets its
 * clock by the gateway's, and sleeps in between. A complete program is
 *
 *     const uint32_t selo_station_period = 600000;
 *     const uint16_t selo_battery_bandgap = 1100;
 *     void selo_station_reading(struct selo_reading *reading) { selo_reading_take(reading); }
 *
 *     int main(void)
 *     {
 *         selo_station_begin();
 *         for (;;)
 *             selo_station_work();
 *     }
 *
 * examples/RainGauge is this program as a sketch, studies/firmware/node a program of its own. This
 * header declares nothing itself. The header of each part, in selo_station/, is its manual. The
 * parts can also be used without the station, as studies/firmware/experiment does:
 *
 *  reading.h  the 16 bytes of a rain gauge's reading, made by the parts below
 *  gauge.h    tips of a bucket, debounced, with their total in the EEPROM
 *  ds3231.h   clock and thermometer on the two-wire bus
 *  battery.h  the chip's supply voltage, measured against the chip's own reference
 *  e32.h      the radio module: frames in and out, and its sleep
 *  console.h  text for the operator at D7, 9600 baud
 *  clock.h    milliseconds, also during sleep
 *
 * Pins and interrupts are fixed: UART 0 (D0, D1), D2 to D7, the two-wire bus (A4, A5), timers 1 and
 * 2, the watchdog, EE_READY, PCINT2, and, without Arduino's core, timer 0. A program that calls no
 * part has none of these interrupts, because the library is linked as an archive.
 */
#ifndef SELO_STATION_H
#define SELO_STATION_H

#include <selo.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "selo_station/battery.h"
#include "selo_station/clock.h"
#include "selo_station/console.h"
#include "selo_station/ds3231.h"
#include "selo_station/e32.h"
#include "selo_station/gauge.h"
#include "selo_station/reading.h"
#include "selo_station/station.h"

#ifdef __cplusplus
}
#endif

#if defined(ARDUINO) && !SELO_STATION
#error "selo_station.h drives the peripherals of an ATmega328P: choose the board Arduino Uno"
#endif

#endif
