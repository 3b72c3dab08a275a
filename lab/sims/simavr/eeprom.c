/*
 * Selo simavr runner: the chip's EEPROM with its programming time, and the file that
 * stores its contents [ATMEGA328P, 8.4 and 8.6.3].
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * simavr 1.6 stores the byte and clears EEPE within the instruction that sets it. So a
 * power cut can do no harm, and waiting for the EEPROM costs nothing. This model replaces
 * simavr's write callback:
 *
 *  EEPE stays set for 3.4 ms (erase and write) or 1.8 ms (one of the two). Then the byte
 *  is stored and EE_READY is raised. Reading halts the core for four cycles, setting
 *  EEPE for two.
 *  A power cut in between leaves the byte erased, 0xFF, if it was being erased. Real
 *  silicon may also leave the old value, the new value, or bits that read differently
 *  each time; 0xFF is the most common damage.
 *  A byte that was only being written, without erasing, keeps its old value.
 */
#define _POSIX_C_SOURCE 200809L
#include "eeprom.h"
#include "protocol.h"

#include <errno.h>
#include <simavr/avr_eeprom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ERASE_AND_WRITE_MICROSECONDS = 3400,
    ERASE_OR_WRITE_MICROSECONDS = 1800,
    MASTER_ENABLE_CYCLES = 4,
    READ_HALT_CYCLES = 4,
    WRITE_HALT_CYCLES = 2,
    MODE_ERASE = 1, /* EEPM1:0; 0 does both, 3 is reserved */
    MODE_WRITE = 2
};

static avr_t *avr;
static avr_eeprom_t *eeprom;
static const char *file;

static struct {
    int busy;
    uint16_t address;
    uint8_t torn, done; /* the byte after a power cut, and at the end */
} programming;

static uint16_t address_register(void)
{
    uint16_t address = avr->data[eeprom->r_eearl];
    if (eeprom->r_eearh)
        address |= (uint16_t)(avr->data[eeprom->r_eearh] << 8);
    return address & (uint16_t)(eeprom->size - 1);
}

/* Halts the core, and shortens simavr's batch as much: it only checks its timers at the end. */
static void halt_core(avr_cycle_count_t cycles)
{
    avr->cycle += cycles;
    avr->run_cycle_count -= avr->run_cycle_count < cycles ? avr->run_cycle_count : cycles;
}

static avr_cycle_count_t on_master_enable_over(avr_t *chip, avr_cycle_count_t when, void *unused)
{
    (void)when, (void)unused;
    avr_regbit_clear(chip, eeprom->eempe);
    return 0;
}

static avr_cycle_count_t on_programmed(avr_t *chip, avr_cycle_count_t when, void *unused)
{
    (void)when, (void)unused;
    eeprom->eeprom[programming.address] = programming.done;
    programming.busy = 0;
    avr_regbit_clear(chip, eeprom->eepe);
    if (avr_regbit_get(chip, eeprom->ready.enable))
        avr_raise_interrupt(chip, &eeprom->ready);
    return 0;
}

static void start_programming(void)
{
    uint8_t mode = avr_regbit_get_array(avr, eeprom->eepm, 2);
    uint8_t data = avr->data[eeprom->r_eedr];
    programming.busy = 1;
    programming.address = address_register();
    uint8_t old = eeprom->eeprom[programming.address];
    programming.torn = mode == MODE_WRITE ? old : 0xff;
    programming.done = mode == MODE_ERASE ? 0xff : mode == MODE_WRITE ? (uint8_t)(old & data) : data;
    avr_cycle_timer_register_usec(avr,
                                  mode == MODE_ERASE || mode == MODE_WRITE ? ERASE_OR_WRITE_MICROSECONDS
                                                                           : ERASE_AND_WRITE_MICROSECONDS,
                                  on_programmed, NULL);
    halt_core(WRITE_HALT_CYCLES);
}

static void on_control(avr_t *chip, avr_io_addr_t address, uint8_t value, void *unused)
{
    (void)unused;
    int master_enabled = avr_regbit_get(chip, eeprom->eempe);
    int interrupt_enabled = avr_regbit_get(chip, eeprom->ready.enable);
    chip->data[address] = value;

    if (!master_enabled && avr_regbit_get(chip, eeprom->eempe))
        avr_cycle_timer_register(chip, MASTER_ENABLE_CYCLES, on_master_enable_over, NULL);
    if (master_enabled && !programming.busy && avr_regbit_get(chip, eeprom->eepe)) {
        avr_regbit_clear(chip, eeprom->eempe);
        start_programming();
    }
    if (avr_regbit_get(chip, eeprom->eere) && !programming.busy) {
        chip->data[eeprom->r_eedr] = eeprom->eeprom[address_register()];
        halt_core(READ_HALT_CYCLES);
    }
    avr_regbit_clear(chip, eeprom->eere);
    avr_regbit_setto(chip, eeprom->eepe, (uint8_t)programming.busy);
    if (!interrupt_enabled && !programming.busy && avr_regbit_get(chip, eeprom->ready.enable))
        avr_raise_interrupt(chip, &eeprom->ready);
}

void eeprom_cut(void)
{
    if (programming.busy)
        eeprom->eeprom[programming.address] = programming.torn;
    programming.busy = 0;
}

/* ---- The file ---------------------------------------------------------------------- */

static void load(void)
{
    FILE *stream = fopen(file, "rb");
    if (!stream && errno == ENOENT)
        return;
    if (!stream)
        protocol_error("%s: %s", file, strerror(errno));
    uint8_t *content = malloc((size_t)eeprom->size + 1);
    if (!content)
        protocol_error("out of memory");
    size_t size = fread(content, 1, (size_t)eeprom->size + 1, stream);
    if (ferror(stream) || size != eeprom->size)
        protocol_error("%s: not the contents of an EEPROM of %u bytes", file, eeprom->size);
    memcpy(eeprom->eeprom, content, size);
    free(content);
    fclose(stream);
}

void eeprom_open(avr_t *chip, const char *path)
{
    avr = chip;
    file = path;
    for (avr_io_t *io = avr->io_port; io; io = io->next)
        if (strcmp(io->kind, "eeprom") == 0)
            eeprom = (avr_eeprom_t *)io;
    if (!eeprom && path)
        protocol_error("the chip has no EEPROM");
    if (!eeprom)
        return;
    avr->io[AVR_DATA_TO_IO(eeprom->r_eecr)].w.c = on_control;
    if (path)
        load();
}

int eeprom_is_timer(avr_cycle_timer_t timer)
{
    return timer == on_programmed || timer == on_master_enable_over;
}

int eeprom_has_file(void) { return file != NULL; }

void eeprom_save(void)
{
    if (!file)
        return;
    size_t length = strlen(file);
    char *temporary = malloc(length + sizeof ".XXXXXX");
    if (!temporary)
        protocol_error("out of memory");
    memcpy(temporary, file, length);
    memcpy(temporary + length, ".XXXXXX", sizeof ".XXXXXX");

    uint8_t *byte = &eeprom->eeprom[programming.address], now = *byte;
    if (programming.busy)
        *byte = programming.torn;
    int descriptor = mkstemp(temporary);
    FILE *stream = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    int written = stream && fwrite(eeprom->eeprom, 1, eeprom->size, stream) == eeprom->size;
    *byte = now;
    if (!stream || fclose(stream) != 0 || !written || rename(temporary, file) != 0) {
        int reason = errno;
        unlink(temporary);
        protocol_error("cannot write %s: %s", file, strerror(reason));
    }
    free(temporary);
}
