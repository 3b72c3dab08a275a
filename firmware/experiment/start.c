#include "start.h"
#include "clock.h"
#include "ds3231.h"
#include "e32.h"
#include "packet.h"
#include "port.h"

#include <avr/interrupt.h>

/* Right after the vector of the reset, before variables have their values: nothing here
 * may use the stack or a register that is taken to be zero. */
__attribute__((naked, used, section(".init1"))) void mark_reset(void);
void mark_reset(void) { PORT_MARK(1); }

void begin(void (*role)(void))
{
    e32_begin();
    ds3231_begin();
    clock_begin();
    packet_begin();
    role();
    sei();
    PORT_MARK(2);
    PORT_MARK(1);
    PORT_MARK(2);
}
