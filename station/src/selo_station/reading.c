/*
 * The station's reading: clock, gauge, thermometer, battery.
 */
#include "chip.h"

#if SELO_STATION

#include "reading.h"
#include "battery.h"
#include "ds3231.h"
#include "e32.h"
#include "gauge.h"

#include <util/atomic.h>

void selo_reading_take(struct selo_reading *reading)
{
    static uint8_t not_first;
    struct selo_ds3231 clock;
    if (!selo_ds3231_read(&clock))
        clock = (struct selo_ds3231){.stopped = 2};
    uint32_t tips;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { tips = selo_gauge_total(); }
    *reading = (struct selo_reading){
        .time = clock.seconds,
        .tips = tips,
        .centidegrees = clock.stopped == 2 ? SELO_READING_NO_TEMPERATURE : clock.centidegrees,
        .battery_millivolts = selo_battery_millivolts(),
        .status = (uint16_t)((clock.stopped ? SELO_READING_CLOCK_LOST : 0)
                             | (not_first ? 0 : SELO_READING_RESTARTED)
                             | (selo_e32_lost() ? SELO_READING_RADIO_LOST : 0)),
    };
    not_first = 1;
}

#endif
