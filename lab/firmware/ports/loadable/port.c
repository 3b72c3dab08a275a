/*
 * The one function of a loadable library.
 */
#include "agent.h"

#include <string.h>

enum { NO_SUCH_CALL = -1 };

uint8_t agent_empty(struct agent_call *call)
{
    (void)call;
    return 0;
}

/*
 * Calls `operation` with `count` fields, whose bytes it may overwrite. `out` has room for the output
 * that the operation documents; `out_size` receives its size. Returns the operation's status, or
 * NO_SUCH_CALL.
 */
__attribute__((visibility("default"))) int selo_loadable_call(const char *operation,
                                                              const struct agent_field *fields,
                                                              uint32_t count, uint8_t *out,
                                                              uint32_t *out_size)
{
    struct agent_call call = {.out = out};
    if (count > AGENT_FIELDS)
        return NO_SUCH_CALL;
    for (uint8_t i = 0; i < AGENT_FIELDS; i++)
        call.in[i].data = out; /* an operation may pass on absent fields, with size 0 */
    memcpy(call.in, fields, count * sizeof *fields);
    for (uint8_t i = 0; i < agent_operation_count; i++) {
        if (strncmp(agent_operations[i].name, operation, AGENT_NAME_BYTES) == 0) {
            int status = agent_operations[i].function(&call);
            *out_size = call.out_size;
            return status;
        }
    }
    return NO_SUCH_CALL;
}
