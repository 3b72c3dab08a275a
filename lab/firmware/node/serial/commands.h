/*
 * Commands of the operator, a line each.
 */
#ifndef NODE_COMMANDS_H
#define NODE_COMMANDS_H

#include <stdint.h>

/* What a line asks for: confirm, reject, forget, pair, join, status, or an answer that
 * lists them. The line is not needed any more when the command is carried out. */
typedef void console_command_fn(void);
console_command_fn *console_command(const char *line, uint8_t size);

#endif
