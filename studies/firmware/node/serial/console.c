/*
 * Text on the serial line. Each line is one frame.
 */
#include "selo_station/console.h"
#include "commands.h"
#include "serial.h"
#include "selo_station/record.h"
#include "selo_station/station.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_CHARACTERS = 11 };

static void confirm(void) { selo_station_confirm(1); }
static void reject(void) { selo_station_confirm(0); }
static void list(void) { SELO_CONSOLE("commands: confirm reject forget pair join settle status"); }

static const struct command {
    char name[8];
    console_command_fn *function;
} commands[] PROGMEM = {
    {"confirm", confirm},     {"reject", reject},     {"forget", selo_station_forget},
    {"pair", selo_station_pair},   {"join", selo_station_join}, {"status", selo_station_status},
    {"settle", selo_record_settle},
};

console_command_fn *console_command(const char *line, uint8_t size)
{
    for (uint8_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        struct command command;
        memcpy_P(&command, &commands[i], sizeof command);
        if (size == strlen(command.name) && memcmp(line, command.name, size) == 0)
            return command.function;
    }
    return list;
}

/* Not inlined. Inlined, its line would occupy stack during every other call of the calling function. */
__attribute__((noinline)) void selo_console_say(const char *text, uint32_t number, uint8_t base, uint8_t digits)
{
    char line[SERIAL_MAX], figures[NUMBER_CHARACTERS];
    size_t size = strlen_P(text);
    memcpy_P(line, text, size);
    if (base != 0) {
        ultoa(number, figures, base);
        for (size_t count = strlen(figures); count < digits; count++)
            line[size++] = '0';
        memcpy(line + size, figures, strlen(figures));
        size += strlen(figures);
    }
    serial_flush();
    if (serial_put(SERIAL_CONSOLE, line, (uint8_t)size))
        serial_flush();
}
