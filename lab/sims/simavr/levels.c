/*
 * Selo simavr runner: interrupts by a low level of INT0 and INT1 [ATMEGA328P, 12.2.1].
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A pin that is low can interrupt for as long as it is low, and a chip begins in this mode. simavr
 * looks at such a pin after every cycle, even if the interrupt is off, and nothing else can run
 * for longer than one instruction. So simavr is only told to look while the interrupt is on.
 */
#include "levels.h"

#include <simavr/avr_extint.h>
#include <string.h>

enum { LOW_LEVEL = 0 }; /* the mode */

static avr_extint_t *pins;

static int has_level(unsigned pin)
{
    return pins->eint[pin].port_ioctl && pins->eint[pin].isc[1].reg;
}

/* The mask of interrupts that are on. */
static void on_mask(avr_t *avr, avr_io_addr_t address, uint8_t value, void *unused)
{
    (void)unused;
    avr->data[address] = value;
    for (unsigned pin = 0; pin < EXTINT_COUNT; pin++) {
        if (!has_level(pin) || pins->eint[pin].vector.enable.reg != address)
            continue;
        uint8_t before = pins->eint[pin].strict_lvl_trig;
        uint8_t is_on = avr_regbit_get(avr, pins->eint[pin].vector.enable);
        pins->eint[pin].strict_lvl_trig = is_on;
        if (!is_on || before || avr_regbit_get_array(avr, pins->eint[pin].isc, 2) != LOW_LEVEL)
            continue;
        /* simavr has raised the flag when the pin became low. In this mode the chip has no flag. */
        avr_regbit_clear(avr, pins->eint[pin].vector.raised);
        avr_irq_t *level = pins->io.irq + pin;
        avr_raise_irq(level, level->value); /* it may be low already */
    }
}

void levels_reset(void)
{
    for (unsigned pin = 0; pins && pin < EXTINT_COUNT; pin++)
        pins->eint[pin].strict_lvl_trig = 0;
}

void levels_open(avr_t *avr)
{
    pins = NULL;
    for (avr_io_t *io = avr->io_port; io; io = io->next)
        if (strcmp(io->kind, "extint") == 0)
            pins = (avr_extint_t *)io;
    avr_io_addr_t registered = 0;
    for (unsigned pin = 0; pins && pin < EXTINT_COUNT; pin++) {
        avr_io_addr_t mask = pins->eint[pin].vector.enable.reg;
        if (has_level(pin) && mask != registered) {
            avr_register_io_write(avr, mask, on_mask, NULL);
            registered = mask;
        }
    }
    levels_reset();
}
