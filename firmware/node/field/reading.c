/*
 * The station's reading: clock, gauge, thermometer, battery.
 */
#include "reading.h"
#include "battery.h"
#include "ds3231.h"
#include "e32.h"
#include "gauge.h"

#include <util/atomic.h>

void reading_take(struct reading *reading)
{
    static uint8_t not_first;
    struct ds3231 clock;
    if (!ds3231_read(&clock))
        clock = (struct ds3231){.stopped = 2};
    uint32_t tips;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { tips = gauge_total(); }
    *reading = (struct reading){
        .time = clock.seconds,
        .tips = tips,
        .centidegrees = clock.stopped == 2 ? READING_NO_TEMPERATURE : clock.centidegrees,
        .battery_millivolts = battery_millivolts(),
        .status = (uint16_t)((clock.stopped ? READING_CLOCK_LOST : 0)
                             | (not_first ? 0 : READING_RESTARTED)
                             | (e32_lost() ? READING_RADIO_LOST : 0)),
    };
    not_first = 1;
}
