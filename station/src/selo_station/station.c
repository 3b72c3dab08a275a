/*
 * The node at work. With SELO_STATION_MARKS=1 every call of the library that may compute is between
 * marks (lab/firmware/ports/avr/port.h), for a simulator that counts cycles. On a board a mark is a
 * store to an unused register. Frames and text are sent after the marks.
 */
#include "chip.h"

#if SELO_STATION

#include "station.h"
#include "button.h"
#include "clock.h"
#include "console.h"
#include "entropy.h"
#include "outside.h"
#include "idle.h"
#include "record.h"

#if SELO_STATION_MARKS
#include "port.h"
#else
#define PORT_MARK(value)
#endif

_Static_assert(sizeof(struct selo_reading) == 16, "a reading has 16 bytes");

#define FOREVER UINT32_MAX

static struct selo_node node;
static enum selo_status begun = SELO_ERROR_STATE;
static uint8_t comparing; /* the digits have been shown and wait for the operator */
static uint8_t receiving; /* 1 in selo_station_poll: the marks are around the call of the library */

#define MARKED(statement) \
    do {                  \
        PORT_MARK(1);     \
        statement;        \
        PORT_MARK(2);     \
        selo_outside_flush();  \
    } while (0)

static void say_result(enum selo_status status)
{
    if (status != SELO_OK)
        SELO_CONSOLE_NUMBER("error ", status);
}

/* ---- Commands of the operator --------------------------------------------------------- */

#if SELO_LINK_HYBRID
/* A command that waits until the workspace of a hybrid pairing has left the stack, because it computes
 * hashes and there is no room for both. */
static uint8_t in_workspace;
static void (*postponed)(void);

/* Returns 1 if the command must wait. It ends the pairing, and so the workspace. */
static uint8_t postpone(void (*command)(void))
{
    if (in_workspace) {
        postponed = command;
        (void)selo_node_confirm(&node, 0);
    }
    return in_workspace;
}
#else
#define postpone(command) 0
#endif

void selo_station_pair(void)
{
    enum selo_status status = begun;
    if (postpone(selo_station_pair))
        return;
    comparing = 0;
    if (status == SELO_OK)
        MARKED(status = selo_node_pair(&node));
    say_result(status);
}

void selo_station_join(void)
{
    enum selo_status status = begun;
    if (status == SELO_OK)
        MARKED(status = selo_node_join(&node));
    say_result(status);
}

void selo_station_confirm(uint8_t same)
{
    enum selo_status status = begun;
    comparing = 0;
    if (status == SELO_OK)
        MARKED(status = selo_node_confirm(&node, same));
    say_result(status);
}

void selo_station_forget(void)
{
    if (postpone(selo_station_forget))
        return;
    comparing = 0;
    if (begun == SELO_OK) {
        say_result(selo_node_forget(&node));
        selo_record_erase_older();
        SELO_CONSOLE("forgotten");
    } else { /* a record of another suite, for instance */
        selo_record_erase();
        SELO_CONSOLE("erased; start again");
    }
}

void selo_station_status(void)
{
    if (begun != SELO_OK) {
        SELO_CONSOLE_NUMBER("not started, error ", begun);
        return;
    }
    SELO_CONSOLE_HEX("id ", selo_node_id(&node));
    SELO_CONSOLE_NUMBER("suite ", SELO_LINK_SUITE);
    if (selo_node_is_joined(&node))
        SELO_CONSOLE("joined");
    else if (selo_node_is_paired(&node))
        SELO_CONSOLE("paired");
    else
        SELO_CONSOLE("unpaired");
}

/* Receives link frames, but only while they are expected. */
static uint8_t receive(void *unused, uint8_t frame[SELO_LINK_FRAME_MAX])
{
    return receiving ? selo_outside_receive(unused, frame) : 0;
}

/* ---- Events ------------------------------------------------------------------------------ */

void selo_station_send(const void *payload, uint8_t size, uint8_t flags)
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
        SELO_CONSOLE_DIGITS("digits ", selo_node_digits(&node));
        break;
    case SELO_NODE_PAIRED:
        comparing = 0;
        SELO_CONSOLE("paired");
        selo_station_join();
        break;
    case SELO_NODE_PAIR_FAILED:
        comparing = 0;
        SELO_CONSOLE("pairing failed");
        break;
    case SELO_NODE_JOINED:
        SELO_CONSOLE("joined");
        break;
    case SELO_NODE_RECEIVED:
        selo_outside_payload(node.received, node.received_size);
        break;
    case SELO_NODE_DELIVERED:
        SELO_CONSOLE("delivered");
        break;
    case SELO_NODE_UNDELIVERED:
        SELO_CONSOLE("undelivered");
        break;
    case SELO_NODE_LOST:
        SELO_CONSOLE("session lost");
        break;
    }
}

uint8_t selo_station_poll(void)
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

/* Only a long press reports that the gateway has accepted the digits. If a short press did, an
 * attacker who answers first would own a node whose operator only pressed once more. A short press
 * starts a pairing, unless digits are shown. */
static void take_press(enum selo_press press)
{
    if (press == SELO_PRESS_LONG) {
        if (comparing)
            selo_station_confirm(1);
    } else if (!comparing && !selo_node_is_paired(&node)) {
        selo_station_pair();
    }
}

/* Each period varies by up to an eighth, so that two nodes whose frames collide do not collide
 * again. */
#define SPREAD (selo_station_period / 8)

static uint32_t last_reading, period;

/* Returns the milliseconds until a reading is due. Without a session none is due. */
static uint32_t until_reading(void)
{
    uint32_t since = selo_clock_milliseconds(NULL) - last_reading;
    if (!selo_node_is_joined(&node))
        return FOREVER;
    return since < period ? period - since : 0;
}

static uint8_t reading_due(void)
{
    static uint16_t random;
    if (until_reading() != 0)
        return 0;
    random = (uint16_t)(random * 25173U + 13849U + (uint16_t)selo_node_id(&node));
    last_reading = selo_clock_milliseconds(NULL);
    period = selo_station_period - SPREAD + SPREAD / 128 * (random >> 8);
    return 1;
}

/* Returns the milliseconds for which nothing is due and no answer is expected; 0 if the node must
 * keep polling. */
static uint32_t rest(void)
{
    if (begun != SELO_OK)
        return FOREVER;
    if (selo_node_is_waiting(&node))
        return 0;
    return selo_station_period == 0 ? FOREVER : until_reading();
}

/* Not inlined, so that the reading leaves the stack before a handshake computes. */
static __attribute__((noinline)) void send_reading(void)
{
    struct selo_reading reading;
    selo_station_reading(&reading);
    selo_station_send(&reading, sizeof reading, 0);
}

/* Resets the count of starts after SELO_RECORD_SETTLED. The condition is true for one unit of time,
 * about a minute. A count that is already reset is not written again. */
static void settle(void)
{
    if ((uint16_t)(selo_clock_milliseconds(NULL) >> 16) == SELO_RECORD_SETTLED)
        selo_record_settle();
}

/* Does one thing that is due. Returns 0 if there is none. */
static uint8_t step(void)
{
    if (selo_outside_step())
        return 1;
    enum selo_press press = selo_button_press();
    if (press != SELO_PRESS_NONE) {
        take_press(press);
        return 1;
    }
    if (begun != SELO_OK)
        return 0;
    settle();
    if (selo_station_period != 0 && reading_due()) {
        send_reading();
        return 1;
    }
    enum selo_node_event event = selo_node_poll(&node);
    selo_outside_flush();
    take_event(event);
    return event != SELO_NODE_NOTHING;
}

static const struct selo_hal hal = {
    .send = selo_outside_send,
    .receive = receive,
    .milliseconds = selo_clock_milliseconds,
    .entropy = selo_entropy_draw,
    .load = selo_record_load,
    .store = selo_record_store,
};

/* Spares the EEPROM when the supply fails repeatedly: the record is written only after the wait. */
static void wait_for_turn(void)
{
    uint16_t wait = selo_record_wait();
    if (wait != 0)
        SELO_CONSOLE_NUMBER("waits ", wait / 4);
    while ((uint16_t)(selo_clock_milliseconds(NULL) >> 8) < wait) {
        cli();
        selo_idle();
    }
    selo_record_count_start();
}

/* Not inlined, so that the record leaves the stack before the node works. */
static __attribute__((noinline)) void begin(void)
{
    begun = selo_node_begin(&node, &hal);
}

void selo_station_begin(void)
{
    selo_outside_begin();
    selo_clock_begin();
    selo_button_begin();
    sei();
    PORT_MARK(1); /* an empty span: the cost of the marks */
    PORT_MARK(2);
    wait_for_turn();
    begin();
    selo_station_status();
    /* The node never pairs by itself: the operator must stand beside it and compare the digits. */
    if (begun == SELO_OK && selo_node_is_paired(&node))
        selo_station_join();
    if (!selo_entropy_found())
        SELO_CONSOLE("no jitter: only the seed is random");
}

static void work(void)
{
    if (step())
        return;
    uint32_t milliseconds = rest();
    cli();
    if (selo_outside_waiting())
        sei();
    else
        selo_outside_sleep(milliseconds);
}

#if SELO_LINK_HYBRID
/* The first part of a hybrid pairing. The workspace is on the stack, because the second part needs the
 * same memory for X25519. */
static __attribute__((noinline)) void work_in_workspace(void)
{
    struct selo_node_workspace workspace;

    selo_node_lend(&node, &workspace);
    in_workspace = 1;
    while (selo_node_needs_workspace(&node))
        work();
    in_workspace = 0;
    selo_node_lend(&node, NULL);
}
#endif

void selo_station_work(void)
{
#if SELO_LINK_HYBRID
    if (selo_node_needs_workspace(&node)) {
        enum selo_node_event event;
        void (*command)(void);
        work_in_workspace();
        MARKED(event = selo_node_poll(&node)); /* the second part begins */
        take_event(event);
        command = postponed;
        postponed = NULL;
        if (command)
            command();
    }
#endif
    work();
}

#endif
