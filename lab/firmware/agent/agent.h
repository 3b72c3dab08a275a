/*
 * What a library's glue sees of the agent: the shape of an operation, the
 * marks around a measured call, and the table of operations.
 *
 * A glue file wraps one library for the lab. It is compiled once per algorithm
 * and variant, with the names as macros (docs/contributor/agent-protocol.md), and looks like
 *
 *     static struct selo_aes128_fast key;
 *
 *     static uint8_t encrypt(struct agent_call *call)
 *     {
 *         if (call->in[0].size != 16)
 *             return AGENT_BAD_SIZE;
 *         uint8_t *in = call->in[0].data, *out = call->out;
 *         AGENT_MEASURE(selo_aes128_fast_encrypt(&key, out, in));
 *         call->out_size = 16;
 *         return 0;
 *     }
 *
 *     AGENT_OPERATIONS(
 *         AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
 *         AGENT_OPERATION(ENCRYPT, "encrypt", encrypt))
 *
 * Load what the call needs into local variables before AGENT_MEASURE, so that
 * the marks enclose passing the arguments, the call and the return, and no more.
 */
#ifndef SELO_AGENT_H
#define SELO_AGENT_H

#include <stdint.h>
#include <string.h>

/* Glue may be C++, for a library of classes; the agent and its port are C. */
#ifdef __cplusplus
extern "C" {
#endif

#include "port.h"

/* The largest RUN payload and the largest output, in bytes: the board says. */
#ifndef AGENT_IO_BYTES
#define AGENT_IO_BYTES 304
#endif

enum {
    AGENT_FIELDS = 4,
    AGENT_NAME_BYTES = 16,
    AGENT_BAD_SIZE = 200 /* status: an input has a size that this operation does not take */
};

/* Bytes of a field or of an output: frames carry no more than 16 bits of them. A port that
 * calls operations without frames may have longer messages (lab/firmware/ports/loadable). */
#ifndef AGENT_SIZE
#define AGENT_SIZE uint16_t
#endif
typedef AGENT_SIZE agent_size;

struct agent_field {
    uint8_t *data;
    agent_size size;
};

struct agent_call {
    struct agent_field in[AGENT_FIELDS]; /* absent ones have size 0; bytes may be overwritten */
    uint8_t *out;                        /* room for AGENT_IO_BYTES */
    agent_size out_size;                 /* set by the operation; 0 before it */
};

/* Returns 0, or the operation's own status: an enum selo_status or a code of the library. */
typedef uint8_t agent_operation_fn(struct agent_call *call);

#if AGENT_FOOTPRINT

/* Footprint images measure memory only: no marks, and instead of the table a
 * function that calls the operations selected by FOOTPRINT_<OPERATION>=1. The
 * compiler then drops the others and the linker what only they needed. */
#define AGENT_MEASURE(...) do { __VA_ARGS__; } while (0)

/* 1 if the macro `flag` is defined as 1, else 0: a defined flag makes the
 * comma that moves the 1 into second place. */
#define AGENT_COMMA_1 ,
#define AGENT_SECOND(ignored, second, ...) second
#define AGENT_SECOND_OF(...) AGENT_SECOND(__VA_ARGS__)
#define AGENT_JOIN_COMMA(value) AGENT_SECOND_OF(AGENT_COMMA_##value 1, 0, 0)
#define AGENT_IS_ONE(flag) AGENT_JOIN_COMMA(flag)

#define AGENT_OPERATION(upper_case, name, function)                          \
    if (AGENT_IS_ONE(FOOTPRINT_##upper_case))                                \
        footprint_status = function(call);
#define AGENT_OPERATIONS(...)                                                \
    void footprint_run(struct agent_call *call) { (void)call; __VA_ARGS__ }

extern volatile uint8_t footprint_status;
void footprint_run(struct agent_call *call);

#else

#define AGENT_MEASURE(...) PORT_MEASURE(__VA_ARGS__)

/* In flash on AVR: read with the port's functions. */
struct agent_operation {
    char name[AGENT_NAME_BYTES];
    agent_operation_fn *function;
};
extern const struct agent_operation agent_operations[];
extern const uint8_t agent_operation_count;

/* Operation 0 of every image: the marks around nothing. The host subtracts it. */
agent_operation_fn agent_empty;

#define AGENT_OPERATION(upper_case, name, function) {name, function},
#define AGENT_OPERATIONS(...)                                                \
    const struct agent_operation agent_operations[] PORT_FLASH = {           \
        {"empty", agent_empty}, __VA_ARGS__};                                \
    const uint8_t agent_operation_count = sizeof agent_operations / sizeof agent_operations[0];

/* Serves the host for ever. Called by the port when the UART is open. */
#ifndef __cplusplus
_Noreturn void agent_serve(void);
#endif

#endif

#ifdef __cplusplus
}
#endif

#endif
