/*
 * The interface between a library's glue and the agent: the shape of an operation, the marks around
 * a measured call, and the table of operations.
 *
 * A glue file wraps one library for the lab. It is compiled once for each algorithm and variant,
 * with the names as macros (docs/contributor/agent-protocol.md). For example:
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
 * Load the arguments into local variables before AGENT_MEASURE. The marks then enclose only passing
 * the arguments, the call and the return.
 */
#ifndef SELO_AGENT_H
#define SELO_AGENT_H

#include <stdint.h>
#include <string.h>

/* Glue for a library of C++ classes may be C++. The agent and its port are C. */
#ifdef __cplusplus
extern "C" {
#endif

#include "port.h"

/* The largest RUN payload and the largest output, in bytes. The board sets them. */
#ifndef AGENT_IO_BYTES
#define AGENT_IO_BYTES 304
#endif

enum {
    AGENT_FIELDS = 4,
    AGENT_NAME_BYTES = 16,
    AGENT_BAD_SIZE = 200 /* status: the operation does not accept the size of an input */
};

/* Number of bytes of a field or of an output. Frames limit it to 16 bits. A port that calls
 * operations without frames may have longer messages (lab/firmware/ports/loadable). */
#ifndef AGENT_SIZE
#define AGENT_SIZE uint16_t
#endif
typedef AGENT_SIZE agent_size;

struct agent_field {
    uint8_t *data;
    agent_size size;
};

struct agent_call {
    struct agent_field in[AGENT_FIELDS]; /* absent: size 0; bytes may be overwritten */
    uint8_t *out;                        /* room for AGENT_IO_BYTES */
    agent_size out_size;                 /* set by the operation; 0 before it */
};

/* Returns 0, or a status of the operation: an enum selo_status or a code of the library. */
typedef uint8_t agent_operation_fn(struct agent_call *call);

#if AGENT_FOOTPRINT

/* Footprint images only measure memory. They have no marks. In place of the table they have a
 * function that calls the operations selected by FOOTPRINT_<OPERATION>=1. The compiler drops the
 * other operations, and the linker drops the code that only they needed. */
#define AGENT_MEASURE(...) do { __VA_ARGS__; } while (0)

/* 1 if the macro `flag` is defined as 1, else 0. A defined flag adds the comma that moves the 1
 * into second place. */
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

/* In flash on AVR. Read it with the port's functions. */
struct agent_operation {
    char name[AGENT_NAME_BYTES];
    agent_operation_fn *function;
};
extern const struct agent_operation agent_operations[];
extern const uint8_t agent_operation_count;

/* Library, version, algorithm and variant, each with its final zero. The glue has them, so that the
 * objects of the agent and of the port are the same for every library, and are compiled once. */
#define AGENT_NAMES AGENT_LIBRARY "\0" AGENT_VERSION "\0" AGENT_ALGORITHM "\0" AGENT_VARIANT
extern const char agent_names[];
extern const uint16_t agent_names_bytes;

/* The HELLO reply must have room for the names, the port's name and at least one operation. */
#define AGENT_NAMES_LIMIT (AGENT_IO_BYTES - AGENT_NAME_BYTES - 3)

/* Operation 0 of every image: empty marks. The host subtracts their cost. */
agent_operation_fn agent_empty;

#define AGENT_OPERATION(upper_case, name, function) {name, function},
#define AGENT_OPERATIONS(...)                                                \
    const struct agent_operation agent_operations[] PORT_FLASH = {           \
        {"empty", agent_empty}, __VA_ARGS__};                                \
    const uint8_t agent_operation_count = sizeof agent_operations / sizeof agent_operations[0]; \
    const char agent_names[] PORT_FLASH = AGENT_NAMES;                       \
    const uint16_t agent_names_bytes = sizeof agent_names;                   \
    typedef char agent_names_fit[sizeof agent_names <= AGENT_NAMES_LIMIT ? 1 : -1];

/* Serves the host and never returns. The port calls it when the UART is open. */
#ifndef __cplusplus
_Noreturn void agent_serve(void);
#endif

#endif

#ifdef __cplusplus
}
#endif

#endif
