/*
 * Selo simavr runner: prints and reads the lines of the protocol
 * (docs/contributor/runner-protocol.md).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_PROTOCOL_H
#define SELO_SIMAVR_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>

/* Reserves standard output for the protocol. Other output of this process and of the
 * simulator goes to standard error from now on. */
void protocol_open(void);

void protocol_ready(const char *mcu, uint32_t frequency, uint32_t ramend, uint32_t flashend);
void protocol_span(uint64_t cycles, uint64_t slept, uint32_t stack);
void protocol_idle(uint64_t cycle);
/* The answer of --paced to `advance`: "paused" or "idle", the deepest stack since reset, and
 * the cycles slept since the start, with timers running and with timers stopped. */
void protocol_advanced(const char *word, uint64_t cycle, uint32_t stack, uint64_t light, uint64_t deep);
void protocol_saved(void);
void protocol_fault(const char *kind, uint32_t pc, uint32_t address, uint64_t cycle);
void protocol_stopped(const char *reason, uint32_t pc, uint64_t cycle);
/* Prints an error line and ends the process with exit code 2. */
_Noreturn void protocol_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Keeps one byte from the chip, to print before the next line. */
void protocol_received(uint8_t byte);

/* Keeps one character of text from a pin. */
void protocol_said(uint8_t character);
/* Reports that the program has changed a pin. */
void protocol_pin(char port, unsigned bit, unsigned level, uint64_t cycle);

enum protocol_word {
    WORD_SEND,    /* bytes[0..count), valid until the next call */
    WORD_LIMIT,   /* number */
    WORD_ADVANCE, /* number */
    WORD_PIN,     /* port, bit, level */
    WORD_TEMPERATURE, /* hundredths, of a degree */
    WORD_SUPPLY,  /* number, millivolts */
    WORD_RESET,
    WORD_SAVE,
    WORD_QUIT
};

struct protocol_command {
    enum protocol_word word;
    const uint8_t *bytes;
    size_t count;
    uint64_t number;
    char port;
    uint8_t bit, level;
    int32_t hundredths;
};

/* Blocks for the next line. End of file gives WORD_QUIT. An unknown line is an error. */
struct protocol_command protocol_read(void);

/* Parses a whole string as a decimal or 0x number; returns -1 if it is not one. */
int protocol_number(const char *text, uint64_t *value);

#endif
