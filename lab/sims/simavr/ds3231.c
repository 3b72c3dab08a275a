/*
 * Selo simavr runner: a DS3231 clock on the chip's two-wire bus [DS3231, Register Map].
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Modelled: the time in 24-hour form, the flag of a stopped oscillator, the temperature,
 * and the register pointer. A START latches the time for the whole transfer. Alarms,
 * ageing and the square wave are registers that only store their values.
 */
#define _DEFAULT_SOURCE /* timegm */
#include "ds3231.h"

#include <simavr/avr_twi.h>
#include <string.h>
#include <time.h>

enum {
    ADDRESS = 0x68,
    TIME_BYTES = 7,
    STATUS = 0x0f,
    OSCILLATOR_STOPPED = 0x80,
    TEMPERATURE = 0x11,
    REGISTERS = 0x13,
    QUARTER = 25
};

static avr_t *avr;
static avr_irq_t *bus;
static uint8_t registers[REGISTERS];
static time_t base; /* the time when the chip's counter was base_cycle */
static uint64_t base_cycle;
static uint8_t pointer;
static int selected, addressed /* the pointer has been written */, time_written;

static uint8_t digits(int number) { return (uint8_t)(number / 10 << 4 | number % 10); }
static int number(uint8_t digits_) { return (digits_ >> 4) * 10 + (digits_ & 15); }

static void take_time(void)
{
    time_t now = base + (time_t)((avr->cycle - base_cycle) / avr->frequency);
    struct tm tm;
    gmtime_r(&now, &tm);
    registers[0] = digits(tm.tm_sec);
    registers[1] = digits(tm.tm_min);
    registers[2] = digits(tm.tm_hour);
    registers[3] = (uint8_t)(tm.tm_wday + 1);
    registers[4] = digits(tm.tm_mday);
    registers[5] = digits(tm.tm_mon + 1);
    registers[6] = digits(tm.tm_year % 100);
}

static void set_time(void)
{
    struct tm tm = {
        .tm_sec = number(registers[0]),
        .tm_min = number(registers[1]),
        .tm_hour = number(registers[2] & 0x3f),
        .tm_mday = number(registers[4]),
        .tm_mon = number(registers[5] & 0x1f) - 1,
        .tm_year = 100 + number(registers[6]),
    };
    base = timegm(&tm);
    base_cycle = avr->cycle;
}

static void answer(uint8_t what, uint8_t data)
{
    avr_raise_irq(bus + TWI_IRQ_INPUT, avr_twi_irq_msg(what, ADDRESS << 1, data));
}

static void written(uint8_t byte)
{
    if (!addressed) {
        pointer = byte % REGISTERS;
        addressed = 1;
        return;
    }
    if (pointer == STATUS) /* the flag can be cleared, not set */
        registers[STATUS] &= (uint8_t)(byte | (uint8_t)~OSCILLATOR_STOPPED);
    else if (pointer < TEMPERATURE)
        registers[pointer] = byte;
    time_written |= pointer < TIME_BYTES;
    pointer = (uint8_t)((pointer + 1) % REGISTERS);
}

static void on_bus(struct avr_irq_t *irq, uint32_t value, void *unused)
{
    (void)irq, (void)unused;
    avr_twi_msg_irq_t message = {.u.v = value};
    uint8_t what = message.u.twi.msg;
    if (what & (TWI_COND_STOP | TWI_COND_START)) {
        if (time_written)
            set_time();
        selected = time_written = addressed = 0;
    }
    if (what & TWI_COND_START && message.u.twi.addr >> 1 == ADDRESS) {
        selected = 1;
        take_time();
        answer(TWI_COND_ACK, 1);
    }
    if (!selected)
        return;
    if (what & TWI_COND_WRITE) {
        written(message.u.twi.data);
        answer(TWI_COND_ACK, 1);
    }
    if (what & TWI_COND_READ) {
        answer(TWI_COND_READ, registers[pointer]);
        pointer = (uint8_t)((pointer + 1) % REGISTERS);
    }
}

void ds3231_open(avr_t *chip, uint64_t seconds)
{
    static const struct tm first = {.tm_mday = 1, .tm_year = 100};
    struct tm tm = first;
    avr = chip;
    base = seconds ? (time_t)seconds : timegm(&tm);
    registers[STATUS] = seconds ? 0 : OSCILLATOR_STOPPED;
    ds3231_set_temperature(2500);
    bus = avr_io_getirq(avr, AVR_IOCTL_TWI_GETIRQ(0), 0);
    if (bus)
        avr_irq_register_notify(bus + TWI_IRQ_OUTPUT, on_bus, NULL);
}

int ds3231_is_there(void) { return bus != NULL; }

void ds3231_set_temperature(int32_t centidegrees)
{
    int32_t half = centidegrees < 0 ? -QUARTER / 2 : QUARTER / 2;
    int32_t quarters = (centidegrees + half) / QUARTER;
    registers[TEMPERATURE] = (uint8_t)((uint32_t)quarters >> 2);
    registers[TEMPERATURE + 1] = (uint8_t)((uint32_t)quarters << 6);
}
