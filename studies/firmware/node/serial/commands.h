/*
 * Commands of the operator, one on each line.
 */
#ifndef NODE_COMMANDS_H
#define NODE_COMMANDS_H

#include <stdint.h>

/* Carries out a line: confirm, reject, forget, pair, join or status. Any other line gets a list of
 * them. The line is no longer needed when the command runs. */
typedef void console_command_fn(void);
console_command_fn *console_command(const char *line, uint8_t size);

#endif
