/*
 * Selo simavr runner: pins that the program drives and the host watches.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text is 8N1. A bit is the level in its middle. It is evaluated at the next edge, or before
 * the host looks, so it needs no timer of the chip.
 */
#include "wires.h"
#include "protocol.h"

#include <simavr/avr_ioport.h>

enum { DATA_BITS = 8, HIGH_BIT = 1 << (DATA_BITS - 1) };

static struct {
    avr_t *avr;
    uint64_t bit_cycles;
    uint64_t start; /* of the character: its falling edge */
    int in_character;
    unsigned next; /* bit to be sampled: 0 the start bit, 9 the stop bit */
    uint8_t byte, level;
} text;

static void sample_until(uint64_t now)
{
    while (text.in_character
           && text.start + text.next * text.bit_cycles + text.bit_cycles / 2 <= now) {
        if (text.next > DATA_BITS) {
            text.in_character = 0;
            if (text.level) /* a stop bit; otherwise a glitch or another rate */
                protocol_said(text.byte);
        } else if (text.next > 0) {
            text.byte = (uint8_t)(text.byte >> 1 | (text.level ? HIGH_BIT : 0));
        } else if (text.level) {
            text.in_character = 0; /* a glitch */
        }
        text.next++;
    }
}

static void on_text(struct avr_irq_t *irq, uint32_t value, void *unused)
{
    (void)irq, (void)unused;
    uint8_t level = value & 1;
    if (level == text.level)
        return;
    sample_until(text.avr->cycle);
    text.level = level;
    if (!text.in_character && !level) {
        text.in_character = 1;
        text.start = text.avr->cycle;
        text.next = 0;
    }
}

static void on_change(struct avr_irq_t *irq, uint32_t value, void *parameter)
{
    (void)irq;
    static uint8_t levels[256];
    unsigned pin = (unsigned)(uintptr_t)parameter, port = pin >> 3;
    uint8_t mask = (uint8_t)(1u << (pin & 7)), level = value & 1;
    if (!(levels[port] & mask) == !level)
        return;
    levels[port] ^= mask;
    protocol_pin((char)port, pin & 7, level, text.avr->cycle);
}

int wires_open(avr_t *avr, const struct wire *wire)
{
    avr_irq_t *irq = avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(wire->port), wire->bit);
    if (!irq)
        return -1;
    text.avr = avr;
    if (wire->baud) {
        text.bit_cycles = avr->frequency / wire->baud;
        avr_irq_register_notify(irq, on_text, NULL);
    } else {
        avr_irq_register_notify(irq, on_change, (void *)(uintptr_t)((uint8_t)wire->port << 3 | wire->bit));
    }
    return 0;
}

void wires_settle(void)
{
    if (text.bit_cycles)
        sample_until(text.avr->cycle);
}
