/*
 * The node at work. Every call of the library that may compute stands between marks
 * (firmware/ports/avr/port.h), for a simulator that counts cycles; on a board a mark
 * is a store to a register that nobody reads. Frames and text leave after the marks.
 */
#include "station.h"
#include "button.h"
#include "clock.h"
#include "console.h"
#include "outside.h"
#include "port.h"
#include "reading.h"
#include "record.h"

/* A reading of its own every so many milliseconds; 0: only what comes on the line. */
#ifndef NODE_PERIOD_MS
#define NODE_PERIOD_MS 60000
#endif

#define FOREVER UINT32_MAX

static struct selo_node node;
static enum selo_status begun = SELO_ERROR_STATE;
static uint8_t comparing; /* the digits have been shown and wait for the operator */
static uint8_t receiving; /* the library may take in a frame: the marks are around it */

#define MARKED(statement) \
    do {                  \
        PORT_MARK(1);     \
        statement;        \
        PORT_MARK(2);     \
        outside_flush();  \
    } while (0)

static void say_result(enum selo_status status)
{
    if (status != SELO_OK)
        CONSOLE_NUMBER("error ", status);
}

/* ---- What the operator asks for ------------------------------------------------------ */

void station_pair(void)
{
    enum selo_status status = begun;
    comparing = 0;
    if (status == SELO_OK)
        MARKED(status = selo_node_pair(&node));
    say_result(status);
}

void station_join(void)
{
    enum selo_status status = begun;
    if (status == SELO_OK)
        MARKED(status = selo_node_join(&node));
    say_result(status);
}

void station_confirm(uint8_t same)
{
    enum selo_status status = begun;
    comparing = 0;
    if (status == SELO_OK)
        MARKED(status = selo_node_confirm(&node, same));
    say_result(status);
}

void station_forget(void)
{
    comparing = 0;
    if (begun == SELO_OK) {
        say_result(selo_node_forget(&node));
        record_erase_older();
        CONSOLE("forgotten");
    } else { /* a record of another suite, for instance */
        record_erase();
        CONSOLE("erased; start again");
    }
}

void station_status(void)
{
    if (begun != SELO_OK) {
        CONSOLE_NUMBER("not started, error ", begun);
        return;
    }
    CONSOLE_HEX("id ", selo_node_id(&node));
    CONSOLE_NUMBER("suite ", SELO_LINK_SUITE);
    if (selo_node_is_joined(&node))
        CONSOLE("joined");
    else if (selo_node_is_paired(&node))
        CONSOLE("paired");
    else
        CONSOLE("unpaired");
}

uint8_t station_receive(void *unused, uint8_t frame[SELO_LINK_FRAME_MAX])
{
    return receiving ? outside_receive(unused, frame) : 0;
}

/* ---- What happens ------------------------------------------------------------------------ */

void station_send(const void *payload, uint8_t size, uint8_t flags)
{
    enum selo_status status = begun;
    if (status == SELO_OK)
        MARKED(status = selo_node_send(&node, payload, size, flags));
    say_result(status);
}

static void take_event(enum selo_node_event event)
{
    switch (event) {
    case SELO_NODE_NOTHING:
        break;
    case SELO_NODE_DIGITS:
        comparing = 1;
        CONSOLE_DIGITS("digits ", selo_node_digits(&node));
        break;
    case SELO_NODE_PAIRED:
        comparing = 0;
        CONSOLE("paired");
        station_join();
        break;
    case SELO_NODE_PAIR_FAILED:
        comparing = 0;
        CONSOLE("pairing failed");
        break;
    case SELO_NODE_JOINED:
        CONSOLE("joined");
        break;
    case SELO_NODE_RECEIVED:
        outside_payload(node.received, node.received_size);
        break;
    case SELO_NODE_DELIVERED:
        CONSOLE("delivered");
        break;
    case SELO_NODE_UNDELIVERED:
        CONSOLE("undelivered");
        break;
    case SELO_NODE_LOST:
        CONSOLE("session lost");
        break;
    }
}

uint8_t station_poll(void)
{
    enum selo_node_event event;
    if (begun != SELO_OK)
        return 0;
    receiving = 1;
    MARKED(event = selo_node_poll(&node));
    receiving = 0;
    take_event(event);
    return 1;
}

static void press(void)
{
    if (comparing)
        station_confirm(1);
    else if (begun == SELO_OK && !selo_node_is_paired(&node))
        station_pair();
}

/* A period is longer or shorter by up to an eighth, so that two nodes whose frames collide
 * do not go on doing so. */
#define SPREAD (NODE_PERIOD_MS / 8UL)

static uint32_t last_reading, period;

/* Milliseconds until a reading is due; none is without a session. */
static uint32_t until_reading(void)
{
    uint32_t since = clock_milliseconds(NULL) - last_reading;
    if (NODE_PERIOD_MS == 0 || !selo_node_is_joined(&node))
        return FOREVER;
    return since < period ? period - since : 0;
}

static uint8_t reading_due(void)
{
    static uint16_t random;
    if (until_reading() != 0)
        return 0;
    random = (uint16_t)(random * 25173U + 13849U + (uint16_t)selo_node_id(&node));
    last_reading = clock_milliseconds(NULL);
    period = NODE_PERIOD_MS - SPREAD + SPREAD / 128 * (random >> 8);
    return 1;
}

uint32_t station_rest(void)
{
    if (begun != SELO_OK)
        return FOREVER;
    return selo_node_is_waiting(&node) ? 0 : until_reading();
}

/* Not inlined, so that the reading is off the stack when a handshake computes. */
static __attribute__((noinline)) void send_reading(void)
{
    struct reading reading;
    reading_take(&reading);
    station_send(&reading, sizeof reading, 0);
}

uint8_t station_step(void)
{
    if (outside_step())
        return 1;
    if (button_pressed()) {
        press();
        return 1;
    }
    if (begun != SELO_OK)
        return 0;
    if (reading_due()) {
        send_reading();
        return 1;
    }
    enum selo_node_event event = selo_node_poll(&node);
    outside_flush();
    take_event(event);
    return event != SELO_NODE_NOTHING;
}

/* Not inlined, so that the record is off the stack when the node works. */
static __attribute__((noinline)) void begin(const struct selo_hal *hal)
{
    begun = selo_node_begin(&node, hal);
}

void station_begin(const struct selo_hal *hal)
{
    begin(hal);
    station_status();
    if (begun != SELO_OK)
        return;
    if (selo_node_is_paired(&node))
        station_join();
    else
        station_pair();
}
