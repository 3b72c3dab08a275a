/*
 * Selo simavr runner: the sleep modes, and the watchdog that wakes from them
 * [ATMEGA328P, 9 and 10.8].
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * simavr 1.6 has one sleep mode, in which every timer goes on. Its watchdog only runs to
 * reset the chip. This file adds:
 *
 *  modes     Idle and ADC noise reduction are simavr's. All other modes stop the
 *            oscillator, and with it timers, UART and two-wire bus: their events are
 *            delayed by the cycles slept. The EEPROM and the watchdog go on. A pin change
 *            wakes the core as in simavr. INT0 and INT1 cannot see edges in these modes,
 *            but this is not modelled. The oscillator takes 16,384 cycles to start again,
 *            as with the Uno's fuses. A pin that changes meanwhile is seen afterwards.
 *  watchdog  With --watchdog it interrupts, after 2,048 cycles of 128 kHz times a power
 *            of two. It does not reset, and has no jitter.
 */
#include "sleep.h"
#include "eeprom.h"

#include <simavr/avr_timer.h>
#include <simavr/avr_watchdog.h>
#include <string.h>

enum {
    SMCR = 0x53, /* data address */
    SM_SHIFT = 1,
    SM_MASK = 7,
    SM_NOISE_REDUCTION = 1, /* the last mode in which the I/O clocks go on */
    START_UP_CYCLES = 16384,
    WATCHDOG_HZ = 128000,
    WATCHDOG_CYCLES = 2048,
    UNLOCKED_CYCLES = 4,
    MOST_TIMERS = 64
};

static avr_t *avr;
static avr_cycle_timer_t deadline;
static avr_watchdog_t *watchdog;
static uint64_t light, deep;
static int stopped; /* the oscillator */

int sleep_is_deep(void)
{
    return avr->state == cpu_Sleeping
        && ((avr->data[SMCR] >> SM_SHIFT) & SM_MASK) > SM_NOISE_REDUCTION;
}

/* ---- Watchdog --------------------------------------------------------------------- */

static avr_cycle_count_t on_unlocked_over(avr_t *chip, avr_cycle_count_t when, void *unused)
{
    (void)when, (void)unused;
    avr_regbit_clear(chip, watchdog->wdce);
    return 0;
}

static avr_cycle_count_t period(void)
{
    uint8_t power = avr_regbit_get(avr, watchdog->wdp[0])
        | (uint8_t)(avr_regbit_get(avr, watchdog->wdp[1]) << 1)
        | (uint8_t)(avr_regbit_get(avr, watchdog->wdp[2]) << 2)
        | (uint8_t)(avr_regbit_get(avr, watchdog->wdp[3]) << 3);
    return ((uint64_t)WATCHDOG_CYCLES << power) * avr->frequency / WATCHDOG_HZ;
}

static avr_cycle_count_t on_watchdog(avr_t *chip, avr_cycle_count_t when, void *unused)
{
    (void)unused;
    avr_raise_interrupt(chip, &watchdog->watchdog);
    return when + period();
}

static void start_watchdog(void)
{
    avr_cycle_timer_cancel(avr, on_watchdog, NULL);
    if (avr_regbit_get(avr, watchdog->watchdog.enable))
        avr_cycle_timer_register(avr, period(), on_watchdog, NULL);
}

/* The prescaler and WDE can only change within four cycles after WDCE and WDE are set. */
static void on_control(avr_t *chip, avr_io_addr_t address, uint8_t value, void *unused)
{
    (void)unused;
    uint8_t before = chip->data[address];
    uint8_t locked = (uint8_t)(1u << watchdog->wde.bit);
    for (unsigned i = 0; i < 4; i++)
        locked |= (uint8_t)(1u << watchdog->wdp[i].bit);
    int unlocked = avr_regbit_get(chip, watchdog->wdce);
    uint8_t unlock = (uint8_t)(1u << watchdog->wdce.bit | 1u << watchdog->wde.bit);
    if ((value & unlock) == unlock) {
        chip->data[address] = before | (uint8_t)(1u << watchdog->wdce.bit);
        avr_cycle_timer_register(chip, UNLOCKED_CYCLES, on_unlocked_over, NULL);
        return;
    }
    if (!unlocked)
        value = (uint8_t)((value & ~locked) | (before & locked));
    value &= (uint8_t)~(1u << watchdog->wdce.bit);
    chip->data[address] = value;
    if (value != (uint8_t)(before & ~(1u << watchdog->wdce.bit)))
        start_watchdog();
}

/* The WDR instruction. */
static int on_ioctl(avr_io_t *io, uint32_t control, void *unused)
{
    (void)io, (void)unused;
    if (control != AVR_IOCTL_WATCHDOG_RESET)
        return -1;
    start_watchdog();
    return 0;
}

/* ---- Sleep ------------------------------------------------------------------------ */

static int goes_on(const avr_cycle_timer_slot_t *slot)
{
    return slot->timer == deadline || slot->timer == on_watchdog || eeprom_is_timer(slot->timer);
}

/* The first event that can happen in this mode. */
static const avr_cycle_timer_slot_t *next_event(int is_deep)
{
    const avr_cycle_timer_slot_t *slot = avr->cycle_timers.timer;
    while (slot && is_deep && !goes_on(slot))
        slot = slot->next;
    return slot;
}

/* Lets cycles pass without the oscillator: delays all events that depend on it. */
static void put_off(avr_cycle_count_t cycles)
{
    avr_cycle_timer_slot_t late[MOST_TIMERS];
    unsigned count = 0;
    for (const avr_cycle_timer_slot_t *slot = avr->cycle_timers.timer; slot; slot = slot->next)
        if (!goes_on(slot) && count < MOST_TIMERS)
            late[count++] = *slot;
    for (unsigned i = 0; i < count; i++) {
        avr_cycle_count_t left = late[i].when > avr->cycle ? late[i].when - avr->cycle : 0;
        avr_cycle_timer_register(avr, left + cycles, late[i].timer, late[i].param);
    }
    for (avr_io_t *io = avr->io_port; io; io = io->next)
        if (strcmp(io->kind, "timer") == 0)
            ((avr_timer_t *)io)->tov_base += cycles;
    avr->cycle += cycles;
}

avr_cycle_count_t sleep_on(void)
{
    int is_deep = sleep_is_deep();
    const avr_cycle_timer_slot_t *next = next_event(is_deep);
    if (!next)
        return 0;
    avr_cycle_count_t cycles = 1 + (next->when > avr->cycle ? next->when - avr->cycle : 0);
    if (is_deep) {
        stopped = 1;
        put_off(cycles);
        deep += cycles;
    } else {
        avr->cycle += cycles;
        light += cycles;
    }
    return cycles;
}

void sleep_woken(void)
{
    if (!stopped || avr->state == cpu_Sleeping)
        return;
    stopped = 0;
    put_off(START_UP_CYCLES);
}

int sleep_ends(void)
{
    const avr_cycle_timer_slot_t *next = next_event(sleep_is_deep());
    while (next && next->timer == deadline)
        next = next->next;
    while (next && sleep_is_deep() && !goes_on(next))
        next = next->next;
    return next != NULL;
}

uint64_t sleep_light(void) { return light; }
uint64_t sleep_deep(void) { return deep; }
void sleep_reset(void) { stopped = 0; }

void sleep_open(avr_t *chip, avr_cycle_timer_t end, int with_watchdog)
{
    avr = chip;
    deadline = end;
    for (avr_io_t *io = avr->io_port; io && with_watchdog; io = io->next)
        if (strcmp(io->kind, "watchdog") == 0)
            watchdog = (avr_watchdog_t *)io;
    if (!watchdog)
        return;
    avr->io[AVR_DATA_TO_IO(watchdog->wdce.reg)].w.c = on_control;
    watchdog->io.ioctl = on_ioctl;
}
