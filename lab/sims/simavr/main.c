/*
 * Selo simavr runner: runs an AVR image on simavr for a host that sends and reads lines
 * over pipes (docs/contributor/runner-protocol.md). This file has the command line and the
 * dialogue.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "chip.h"
#include "ds3231.h"
#include "eeprom.h"
#include "protocol.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: " RUNNER_NAME " --mcu NAME --frequency HZ [--paced | --limit CYCLES]\n"
    "       [--static-end ADDRESS] [--heap-top ADDRESS] [--eeprom FILE] [--ds3231 SECONDS] [--watchdog]\n"
    "       [--watch PIN]... [--console PIN:BAUD] IMAGE.elf\n"
    "\n"
    "Runs an AVR image on a simulated chip. Reads lines on standard input\n"
    "(send HEX, pin PORT BIT LEVEL, temperature N, supply N, advance N, limit N, reset,\n"
    "save, quit) and prints lines on standard output\n"
    "(ready, recv, console, pin, span, idle, paused, saved, fault, stopped, error).\n"
    "\n"
    "  --mcu NAME            the chip, as simavr names it: atmega328p\n"
    "  --frequency HZ        its clock\n"
    "  --limit CYCLES        most cycles from one input wait to the next; 0 for no limit\n"
    "  --static-end ADDRESS  first RAM address above the static data; a stack pointer\n"
    "                        below it is a stack collision\n"
    "  --heap-top ADDRESS    of the variable that holds the first address above the heap;\n"
    "                        a stack pointer below that is one, too\n"
    "  --paced               the chip runs only when told to advance\n"
    "  --eeprom FILE         contents of the EEPROM, loaded and kept; absent is erased\n"
    "  --watchdog            the chip's watchdog interrupts, and wakes from every sleep\n"
    "  --ds3231 SECONDS      a clock on the two-wire bus, at that time since 1970; 0: it has\n"
    "                        been without power\n"
    "  --watch PIN           say when the program changes a pin, such as D4\n"
    "  --console PIN:BAUD    text that the program sends on a pin, such as D7:9600\n"
    "  --help, --version\n"
    "\n"
    "exit codes: 0 quit, 2 error, 3 the chip stopped\n";

static uint64_t number_of(const char *option, const char *value, uint64_t most)
{
    uint64_t number;
    if (!value || protocol_number(value, &number) != 0 || number > most)
        protocol_error("%s needs a number up to %llu", option, (unsigned long long)most);
    return number;
}

/* Parses PIN or PIN:BAUD: a capital letter, 0..7, a rate. */
static void add_wire(struct chip_options *options, const char *option, const char *value, int with_baud)
{
    uint64_t baud = 0;
    int pin = value && value[0] >= 'A' && value[0] <= 'Z' && value[1] >= '0' && value[1] <= '7';
    int rest = pin && (with_baud ? value[2] == ':' && protocol_number(value + 3, &baud) == 0
                                       && baud > 0 && baud <= options->frequency / 16
                                 : value[2] == '\0');
    if (!rest)
        protocol_error("%s needs a pin such as D7%s", option, with_baud ? " with a rate, after --frequency: D7:9600" : "");
    if (options->wire_count == CHIP_WIRES)
        protocol_error("more than %d pins", CHIP_WIRES);
    options->wires[options->wire_count++]
        = (struct wire){.port = value[0], .bit = (uint8_t)(value[1] - '0'), .baud = (uint32_t)baud};
}

/* Carries out a command. Without --paced the chip then runs on if the command affected it.
 * Returns -1 when the chip has stopped. */
static int obey(const struct protocol_command *command, int paced)
{
    switch (command->word) {
    case WORD_SEND:
        chip_send(command->bytes, command->count);
        break;
    case WORD_PIN:
        chip_pin(command->port, command->bit, command->level);
        break;
    case WORD_TEMPERATURE:
        if (!ds3231_is_there())
            protocol_error("temperature needs --ds3231");
        ds3231_set_temperature(command->hundredths);
        break;
    case WORD_SUPPLY:
        if (command->number < 1000 || command->number > 6000)
            protocol_error("supply needs 1000 to 6000 millivolts");
        chip_supply((uint32_t)command->number);
        break;
    case WORD_RESET:
        chip_reset();
        break;
    case WORD_SAVE:
        if (!eeprom_has_file())
            protocol_error("save needs --eeprom FILE");
        eeprom_save();
        protocol_saved();
        return 0;
    case WORD_ADVANCE:
        if (!paced)
            protocol_error("advance needs --paced");
        return chip_advance(command->number);
    case WORD_LIMIT:
        if (paced)
            protocol_error("limit means nothing with --paced");
        chip_set_limit(command->number);
        return 0;
    case WORD_QUIT:
        break;
    }
    return paced ? 0 : chip_run();
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(help, stdout);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts(RUNNER_NAME " " RUNNER_VERSION);
        return 0;
    }
    protocol_open();

    struct chip_options options = {0};
    const char *image = NULL;
    int paced = 0;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--mcu") == 0 && value)
            options.mcu = value, i++;
        else if (strcmp(argv[i], "--frequency") == 0)
            options.frequency = (uint32_t)number_of(argv[i], value, UINT32_MAX), i++;
        else if (strcmp(argv[i], "--limit") == 0)
            options.limit = number_of(argv[i], value, UINT64_MAX), i++;
        else if (strcmp(argv[i], "--static-end") == 0)
            options.static_end = (uint32_t)number_of(argv[i], value, 0xffff), i++;
        else if (strcmp(argv[i], "--heap-top") == 0)
            options.heap_top = (uint32_t)number_of(argv[i], value, 0xffff), i++;
        else if (strcmp(argv[i], "--paced") == 0)
            paced = 1;
        else if (strcmp(argv[i], "--eeprom") == 0 && value)
            options.eeprom = value, i++;
        else if (strcmp(argv[i], "--watchdog") == 0)
            options.has_watchdog = 1;
        else if (strcmp(argv[i], "--ds3231") == 0)
            options.has_clock = 1, options.clock_seconds = number_of(argv[i], value, UINT32_MAX), i++;
        else if (strcmp(argv[i], "--watch") == 0)
            add_wire(&options, argv[i], value, 0), i++;
        else if (strcmp(argv[i], "--console") == 0)
            add_wire(&options, argv[i], value, 1), i++;
        else if (argv[i][0] == '-' || image)
            protocol_error("unexpected argument: %s", argv[i]);
        else
            image = argv[i];
    }
    if (!options.mcu || options.frequency == 0 || !image)
        protocol_error("--mcu, --frequency and an image are needed; see --help");
    if (paced && options.limit)
        protocol_error("--limit means nothing with --paced: the host sets the pace");

    chip_open(&options, image);
    int stopped = paced ? 0 : chip_run();
    while (stopped == 0) {
        struct protocol_command command = protocol_read();
        if (command.word == WORD_QUIT) {
            chip_stopped("quit", chip_pc());
            return 0;
        }
        stopped = obey(&command, paced);
    }
    return 3;
}
