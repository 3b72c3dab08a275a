/*
 * Selo simavr runner: runs an AVR image on simavr for a host that talks to it in
 * lines over pipes (docs/runner-protocol.md). This file is the command line and
 * the conversation.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "chip.h"
#include "protocol.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: " RUNNER_NAME " --mcu NAME --frequency HZ [--limit CYCLES] [--static-end ADDRESS] IMAGE.elf\n"
    "\n"
    "Runs an AVR image on a simulated chip. Reads lines on standard input\n"
    "(send HEX, limit N, reset, quit) and prints lines on standard output\n"
    "(ready, recv, span, idle, fault, stopped, error).\n"
    "\n"
    "  --mcu NAME            the chip, as simavr names it: atmega328p\n"
    "  --frequency HZ        its clock\n"
    "  --limit CYCLES        most cycles from one input wait to the next; 0 for no limit\n"
    "  --static-end ADDRESS  first RAM address above the static data; a stack pointer\n"
    "                        below it is a stack collision\n"
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
        else if (argv[i][0] == '-' || image)
            protocol_error("unexpected argument: %s", argv[i]);
        else
            image = argv[i];
    }
    if (!options.mcu || options.frequency == 0 || !image)
        protocol_error("--mcu, --frequency and an image are needed; see --help");

    chip_open(&options, image);
    while (chip_run() == 0) {
        for (int waiting = 1; waiting;) {
            const uint8_t *bytes;
            size_t count;
            uint64_t cycles;
            switch (protocol_read(&bytes, &count, &cycles)) {
            case COMMAND_SEND:
                chip_send(bytes, count);
                waiting = 0;
                break;
            case COMMAND_LIMIT:
                chip_set_limit(cycles);
                break;
            case COMMAND_RESET:
                chip_reset();
                waiting = 0;
                break;
            case COMMAND_QUIT:
                protocol_stopped("quit", chip_pc(), chip_cycle());
                return 0;
            }
        }
    }
    return 3;
}
