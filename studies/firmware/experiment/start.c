#include "start.h"
#include "selo_station/clock.h"
#include "selo_station/ds3231.h"
#include "selo_station/e32.h"
#include "packet.h"
#include "port.h"

#include <avr/interrupt.h>

/* Runs right after the reset vector, before variables are initialised. It must not use the stack or
 * a register that is assumed to be zero. */
__attribute__((naked, used, section(".init1"))) void mark_reset(void);
void mark_reset(void) { PORT_MARK(1); }

void begin(void (*role)(void))
{
    selo_e32_begin();
    selo_ds3231_begin();
    selo_clock_begin();
    packet_begin();
    role();
    sei();
    PORT_MARK(2);
    PORT_MARK(1);
    PORT_MARK(2);
}
