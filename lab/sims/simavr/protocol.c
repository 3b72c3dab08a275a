/*
 * Selo simavr runner: prints and reads the lines of the protocol
 * (docs/contributor/runner-protocol.md).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _POSIX_C_SOURCE 200809L
#include "protocol.h"
#include "version.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *out;
/* Bytes that arrive one by one and are printed together. */
struct gathered {
    const char *word;
    size_t count;
    uint8_t bytes[4096];
};
static struct gathered received = {.word = "recv"}, said = {.word = "console"};
static char *line;
static size_t line_room;

void protocol_open(void)
{
    int copy = dup(STDOUT_FILENO);
    out = copy < 0 ? NULL : fdopen(copy, "w");
    if (!out || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        perror("selo-simavr: standard output");
        exit(2);
    }
}

/* If the host is gone, ends the process at once: an error could not be reported. */
static void flush(void)
{
    if (fflush(out) != 0)
        exit(2);
}

static void print_gathered(struct gathered *gathered)
{
    if (gathered->count == 0)
        return;
    fprintf(out, "%s ", gathered->word);
    for (size_t i = 0; i < gathered->count; i++)
        fprintf(out, "%02x", gathered->bytes[i]);
    fputc('\n', out);
    gathered->count = 0;
}

static void print_received(void)
{
    print_gathered(&received);
    print_gathered(&said);
}

static void gather(struct gathered *gathered, uint8_t byte)
{
    if (gathered->count == sizeof gathered->bytes)
        print_gathered(gathered);
    gathered->bytes[gathered->count++] = byte;
}

void protocol_received(uint8_t byte) { gather(&received, byte); }
void protocol_said(uint8_t character) { gather(&said, character); }

void protocol_ready(const char *mcu, uint32_t frequency, uint32_t ramend, uint32_t flashend)
{
    fprintf(out, "ready %s %s mcu=%s frequency=%" PRIu32 " ramend=0x%04" PRIx32 " flashend=0x%04" PRIx32 "\n",
            RUNNER_NAME, RUNNER_VERSION, mcu, frequency, ramend, flashend);
    flush();
}

void protocol_span(uint64_t cycles, uint64_t slept, uint32_t stack)
{
    print_received();
    fprintf(out, "span cycles=%" PRIu64 " slept=%" PRIu64 " stack=%" PRIu32 "\n", cycles, slept, stack);
    flush();
}

void protocol_pin(char port, unsigned bit, unsigned level, uint64_t cycle)
{
    print_received();
    fprintf(out, "pin %c %u %u cycle=%" PRIu64 "\n", port, bit, level, cycle);
}

void protocol_idle(uint64_t cycle)
{
    print_received();
    fprintf(out, "idle cycle=%" PRIu64 "\n", cycle);
    flush();
}

void protocol_advanced(const char *word, uint64_t cycle, uint32_t stack, uint64_t light, uint64_t deep)
{
    print_received();
    fprintf(out, "%s cycle=%" PRIu64 " stack=%" PRIu32 " light=%" PRIu64 " deep=%" PRIu64 "\n", word,
            cycle, stack, light, deep);
    flush();
}

void protocol_saved(void)
{
    print_received();
    fputs("saved\n", out);
    flush();
}

void protocol_fault(const char *kind, uint32_t pc, uint32_t address, uint64_t cycle)
{
    print_received();
    fprintf(out, "fault kind=%s pc=0x%04" PRIx32 " address=0x%04" PRIx32 " cycle=%" PRIu64 "\n",
            kind, pc, address, cycle);
    flush();
}

void protocol_stopped(const char *reason, uint32_t pc, uint64_t cycle)
{
    print_received();
    fprintf(out, "stopped reason=%s pc=0x%04" PRIx32 " cycle=%" PRIu64 "\n", reason, pc, cycle);
    flush();
}

void protocol_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_received();
    fputs("error ", out);
    vfprintf(out, format, arguments);
    fputc('\n', out);
    va_end(arguments);
    flush();
    exit(2);
}

int protocol_number(const char *text, uint64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9')
        return -1;
    int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
    errno = 0;
    *value = strtoull(text, &end, base);
    return *end != '\0' || errno != 0 ? -1 : 0;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Decodes in place: characters 2i and 2i + 1 become byte i. */
static int hexadecimal(char *text, const uint8_t **bytes, size_t *count)
{
    uint8_t *target = (uint8_t *)text;
    size_t length = strlen(text);
    if (length == 0 || length % 2 != 0)
        return -1;
    for (size_t i = 0; i < length / 2; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return -1;
        target[i] = (uint8_t)(high << 4 | low);
    }
    *bytes = target;
    *count = length / 2;
    return 0;
}

/* Parses `PORT BIT LEVEL`: a capital letter, 0..7, 0 or 1. */
static int pin(const char *text, struct protocol_command *command)
{
    if (strlen(text) != 5 || text[0] < 'A' || text[0] > 'Z' || text[1] != ' ' || text[2] < '0'
        || text[2] > '7' || text[3] != ' ' || (text[4] != '0' && text[4] != '1'))
        return -1;
    command->port = text[0];
    command->bit = (uint8_t)(text[2] - '0');
    command->level = (uint8_t)(text[4] - '0');
    return 0;
}

static int hundredths(const char *text, int32_t *value)
{
    uint64_t size;
    int negative = *text == '-';
    if (protocol_number(text + negative, &size) != 0 || size > 12800)
        return -1;
    *value = negative ? -(int32_t)size : (int32_t)size;
    return 0;
}

struct protocol_command protocol_read(void)
{
    struct protocol_command command = {.word = WORD_QUIT};
    ssize_t length = getline(&line, &line_room, stdin);
    if (length < 0)
        return command;
    if (length > 0 && line[length - 1] == '\n')
        line[--length] = '\0';

    if (strcmp(line, "quit") == 0)
        return command;
    int parsed = -1;
    if (strcmp(line, "reset") == 0)
        parsed = 0, command.word = WORD_RESET;
    else if (strcmp(line, "save") == 0)
        parsed = 0, command.word = WORD_SAVE;
    else if (strncmp(line, "limit ", 6) == 0)
        parsed = protocol_number(line + 6, &command.number), command.word = WORD_LIMIT;
    else if (strncmp(line, "advance ", 8) == 0)
        parsed = protocol_number(line + 8, &command.number), command.word = WORD_ADVANCE;
    else if (strncmp(line, "pin ", 4) == 0)
        parsed = pin(line + 4, &command), command.word = WORD_PIN;
    else if (strncmp(line, "temperature ", 12) == 0)
        parsed = hundredths(line + 12, &command.hundredths), command.word = WORD_TEMPERATURE;
    else if (strncmp(line, "supply ", 7) == 0)
        parsed = protocol_number(line + 7, &command.number), command.word = WORD_SUPPLY;
    else if (strncmp(line, "send ", 5) == 0)
        parsed = hexadecimal(line + 5, &command.bytes, &command.count), command.word = WORD_SEND;
    if (parsed != 0)
        protocol_error("unknown line (%zd characters): %.40s", length, line);
    return command;
}
