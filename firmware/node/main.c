/*
 * A sealed sensor on an Arduino Uno: pairs, joins and sends readings. README.md
 * says what is around it.
 */
#include "button.h"
#include "clock.h"
#include "console.h"
#include "entropy.h"
#include "outside.h"
#include "port.h"
#include "record.h"
#include "station.h"

#include <avr/interrupt.h>

static const struct selo_hal hal = {
    .send = outside_send,
    .receive = station_receive,
    .milliseconds = clock_milliseconds,
    .entropy = entropy_draw,
    .load = record_load,
    .store = record_store,
};

int main(void)
{
    outside_begin();
    clock_begin();
    button_begin();
    sei();
    PORT_MARK(1); /* what the marks cost */
    PORT_MARK(2);
    station_begin(&hal);
    if (!entropy_found())
        CONSOLE("the clocks do not jitter: only the stored seed is random");
    for (;;) {
        if (station_step())
            continue;
        uint32_t rest = station_rest();
        cli();
        if (outside_waiting())
            sei();
        else
            outside_sleep(rest);
    }
}
