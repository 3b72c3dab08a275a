/*
 * The agent: answers HELLO and RUN on the port's UART (docs/contributor/agent-protocol.md).
 * Between frames it keeps no state except the two buffers. A library's operations keep their own
 * state.
 */
#include "agent.h"
#include "frame.h"
#if AGENT_HEAP
#include "heap.h"
#endif

#include <string.h>

enum {
    PROTOCOL = 1,
    COMMAND_HELLO = 0x01,
    COMMAND_RUN = 0x02,
    COMMAND_ERROR = 0xFF,
    REPLY_BIT = 0x80,
    ERROR_COMMAND = 1,
    ERROR_OPERATION = 2,
    ERROR_PAYLOAD = 3,
    ERROR_TOO_LARGE = 4,
    RUN_PAINT_STACK = 1,
    RUN_STOP_AT_REFUSAL = 2,
#if AGENT_HEAP
    RUN_FLAGS = RUN_PAINT_STACK | RUN_STOP_AT_REFUSAL,
#else
    RUN_FLAGS = RUN_PAINT_STACK,
#endif

    HEAD_BYTES = 2,        /* command, sequence */
    RUN_HEAD_BYTES = 5,    /* operation, flags, repeat, field count */
    RUN_RESULT_BYTES = 34, /* bytes before the output in a RUN reply */
    CRC_BYTES = 2
};

static uint8_t request[HEAD_BYTES + AGENT_IO_BYTES];
static uint8_t reply[HEAD_BYTES + RUN_RESULT_BYTES + AGENT_IO_BYTES + CRC_BYTES];

uint8_t agent_empty(struct agent_call *call)
{
    (void)call;
    AGENT_MEASURE((void)0);
    return 0;
}

static uint8_t *put16(uint8_t *to, uint16_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
    return to + 2;
}

static uint8_t *put32(uint8_t *to, uint32_t value)
{
    return put16(put16(to, (uint16_t)value), (uint16_t)(value >> 16));
}

static uint8_t *put64(uint8_t *to, uint64_t value)
{
    return put32(put32(to, (uint32_t)value), (uint32_t)(value >> 32));
}

static uint16_t get16(const uint8_t *from)
{
    return (uint16_t)(from[0] | (uint16_t)((uint16_t)from[1] << 8));
}

static void send(uint8_t command, uint16_t payload_bytes)
{
    reply[0] = command;
    reply[1] = request[1];
    frame_encode(reply, (uint16_t)(HEAD_BYTES + payload_bytes), port_write);
}

static void send_error(uint8_t code)
{
    reply[HEAD_BYTES] = code;
    send(COMMAND_ERROR, 1);
}

/* ---- HELLO ------------------------------------------------------------------ */

static const char port_name[] PORT_FLASH = PORT_NAME;

/* Length byte and characters; `room` is that of the text with its final zero. */
static uint8_t *put_text(uint8_t *to, const char *text, uint8_t room)
{
    port_flash_read(to + 1, text, room);
    to[room] = 0; /* a name may fill its array, without a final zero */
    to[0] = (uint8_t)strlen((const char *)(to + 1));
    return to + 1 + to[0];
}

/* The texts of agent_names, as put_text puts each: a text's length takes the place of the zero
 * before it. */
static uint8_t *put_names(uint8_t *to)
{
    const uint8_t *end = to + agent_names_bytes;
    port_flash_read(to + 1, agent_names, agent_names_bytes);
    while (to < end) {
        to[0] = (uint8_t)strlen((const char *)(to + 1));
        to += 1 + to[0];
    }
    return to;
}

static void hello(void)
{
    uint8_t *at = reply + HEAD_BYTES;
    const uint8_t *end = reply + sizeof reply - CRC_BYTES - AGENT_NAME_BYTES - 2;
    *at++ = PROTOCOL;
    at = put32(at, PORT_COUNTER_HZ);
    *at++ = PORT_COUNTER_BITS;
    at = put16(at, AGENT_IO_BYTES);
    at = put_text(at, port_name, sizeof port_name);
    at = put_names(at);
    *at++ = agent_operation_count;
    for (uint8_t i = 0; i < agent_operation_count; i++) {
        if (at >= end) {
            send_error(ERROR_TOO_LARGE);
            return;
        }
        at = put_text(at, agent_operations[i].name, AGENT_NAME_BYTES);
    }
    send(COMMAND_HELLO | REPLY_BIT, (uint16_t)(at - reply - HEAD_BYTES));
}

_Static_assert(sizeof port_name <= AGENT_NAME_BYTES, "PORT_NAME is too long for the HELLO reply");

/* ---- RUN ---------------------------------------------------------------------- */

/* Splits payload[0..size) into the fields of the call. Returns 0 if it is malformed. */
static uint8_t parse_fields(struct agent_call *call, uint8_t count, uint8_t *payload, uint16_t size)
{
    if (count > AGENT_FIELDS)
        return 0;
    for (uint8_t i = 0; i < AGENT_FIELDS; i++)
        call->in[i].data = payload; /* an operation may pass on absent fields, with size 0 */
    for (uint8_t i = 0; i < count; i++) {
        if (size < 2)
            return 0;
        uint16_t bytes = get16(payload);
        payload += 2;
        size = (uint16_t)(size - 2);
        if (bytes > size)
            return 0;
        call->in[i].data = payload;
        call->in[i].size = bytes;
        payload += bytes;
        size = (uint16_t)(size - bytes);
    }
    return size == 0;
}

/* The output is in its place. */
static void reply_run(uint8_t status, const struct port_result *result, uint16_t out_size)
{
    uint8_t *at = reply + HEAD_BYTES;
    *at++ = status;
    at = put16(at, result->repeats);
    at = put64(at, result->counter);
    *at++ = result->counter_flags;
    at = put16(at, result->stack);
    at = put16(at, result->heap);
    at = put64(at, result->cpu);
    at = put64(at, result->instructions);
    put16(at, out_size);
    send(COMMAND_RUN | REPLY_BIT, (uint16_t)(RUN_RESULT_BYTES + out_size));
}

static void run(uint8_t *payload, uint16_t size)
{
    if (size < RUN_HEAD_BYTES) {
        send_error(ERROR_PAYLOAD);
        return;
    }
    uint8_t operation = payload[0];
    struct port_request measure = {.repeats = get16(payload + 2),
                                   .paint_stack = payload[1] & RUN_PAINT_STACK};
    struct agent_call call = {.out = reply + HEAD_BYTES + RUN_RESULT_BYTES};
    if (operation >= agent_operation_count) {
        send_error(ERROR_OPERATION);
        return;
    }
    if (measure.repeats == 0 || (payload[1] & (uint8_t)~RUN_FLAGS) != 0
        || !parse_fields(&call, payload[4], payload + RUN_HEAD_BYTES,
                         (uint16_t)(size - RUN_HEAD_BYTES))) {
        send_error(ERROR_PAYLOAD);
        return;
    }

    agent_operation_fn *function;
    port_flash_read(&function, &agent_operations[operation].function, sizeof function);
    port_prepare(&measure);
#if AGENT_HEAP
    heap_start();
    heap_stop_at_refusal(payload[1] & RUN_STOP_AT_REFUSAL);
#endif
    uint8_t status = function(&call);
    struct port_result result;
    port_finish(&result);
#if AGENT_HEAP
    const uint32_t most = heap_most();
    result.heap = most > UINT16_MAX ? UINT16_MAX : (uint16_t)most;
    result.counter = (uint64_t)most << 32 | heap_live(); /* the time is not that of the library */
    result.counter_flags &= (uint8_t)~PORT_COUNTER_WRAPPED;
    if (heap_refused())
        result.counter_flags |= PORT_HEAP_REFUSED;
#endif
    if (call.out_size > AGENT_IO_BYTES) {
        send_error(ERROR_TOO_LARGE);
        return;
    }
    reply_run(status, &result, call.out_size);
}

#if AGENT_HEAP
void agent_heap_refused(void)
{
    const struct port_result result = {.counter_flags = PORT_HEAP_REFUSED};
#ifdef PORT_IN_SPAN /* a runner of this port hears nothing of an open span */
    if (PORT_IN_SPAN) {
        PORT_MARK(2);
        port_span_close();
    }
#endif
    reply_run(1, &result, 0);
    for (;;)
        port_read();
}
#endif

/* ---- The loop -------------------------------------------------------------------- */

void agent_serve(void)
{
    struct frame_decoder decoder;
    frame_decoder_start(&decoder, request, sizeof request);
    for (;;) {
        enum frame_event event = frame_decode(&decoder, port_read());
        if (event == FRAME_NONE)
            continue;
        uint16_t payload_bytes = (uint16_t)(decoder.length - HEAD_BYTES);
        if (event == FRAME_TOO_LARGE)
            send_error(ERROR_TOO_LARGE);
        else if (request[0] == COMMAND_RUN)
            run(request + HEAD_BYTES, payload_bytes);
        else if (request[0] != COMMAND_HELLO)
            send_error(ERROR_COMMAND);
        else if (payload_bytes != 0)
            send_error(ERROR_PAYLOAD);
        else
            hello();
    }
}
