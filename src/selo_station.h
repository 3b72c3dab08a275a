/*
 * Selo: a station, which is a sealed sensor on an Arduino Uno.
 */
#ifndef SELO_STATION_H
#define SELO_STATION_H

#include "selo.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "selo/station/battery.h"
#include "selo/station/clock.h"
#include "selo/station/console.h"
#include "selo/station/ds3231.h"
#include "selo/station/e32.h"
#include "selo/station/gauge.h"
#include "selo/station/reading.h"
#include "selo/station/station.h"

#ifdef __cplusplus
}
#endif

#endif
