/* A node of the link (docs/protocol.md) on a board's emulator. It joins and sends one sealed reading,
 * so that its counts can be compared with those of a client with TLS. `selo exchange link` is the gateway. On
 * the connection each frame follows its size.
 *
 * The job has the node's id and its device key. With CLIENT_PAIRS the node has neither: it pairs, and
 * joins and sends with the new key. */
#include "client.h"
#include "node.h"

#include <selo.h>
#include <string.h>

/* Returns 0, or 1 if the node has no key yet. */
#ifndef CLIENT_PAIRS
#define CLIENT_PAIRS 0
#endif

enum { ID_BYTES = 4, KEY_BYTES = 32 };

static struct selo_node node;
static uint8_t stored[SELO_LINK_RECORD_BYTES];
/* The node expects a frame. Receiving waits for one only then. */
static int awaits;

static enum selo_status send_frame(void *unused, const uint8_t *frame, uint8_t size)
{
    (void)unused;
    return node_send(frame, size) == 0 ? SELO_OK : SELO_ERROR_SEND;
}

static uint8_t receive_frame(void *unused, uint8_t frame[SELO_LINK_FRAME_MAX])
{
    (void)unused;
    if (!awaits)
        return 0;
    awaits = 0;
    return node_receive(frame, SELO_LINK_FRAME_MAX);
}

/* The clock does not advance, so the node repeats nothing. */
static uint32_t milliseconds(void *unused)
{
    (void)unused;
    return 0;
}

static enum selo_status entropy(void *unused, uint8_t *out, size_t size)
{
    (void)unused;
    return client_random(out, (unsigned)size) == 0 ? SELO_OK : SELO_ERROR_RANDOM;
}

static enum selo_status load(void *unused, uint8_t record[SELO_LINK_RECORD_BYTES])
{
    (void)unused;
    (void)record;
    return SELO_ERROR_STORE;
}

static enum selo_status store(void *unused, const uint8_t record[SELO_LINK_RECORD_BYTES])
{
    (void)unused;
    memcpy(stored, record, sizeof stored);
    return SELO_OK;
}

static const struct selo_hal hal = {
    .send = send_frame,
    .receive = receive_frame,
    .milliseconds = milliseconds,
    .entropy = entropy,
    .load = load,
    .store = store,
};

/* Polls the node once. Call it when the node expects a frame. */
static int comes(enum selo_node_event event)
{
    awaits = 1;
    return selo_node_poll(&node) == event;
}

static const char *join(void)
{
    int joined = selo_node_join(&node) == SELO_OK && comes(SELO_NODE_JOINED);
    return joined ? NULL : "the node did not join";
}

static const char *send_reading(const uint8_t reading[READING_BYTES])
{
    int sent = selo_node_send(&node, reading, READING_BYTES, 0) == SELO_OK;
    return sent ? NULL : "the reading was not sent";
}

#if CLIENT_PAIRS
/* The node executes nothing while a person compares the digits. */
static const char *pair(void)
{
    int paired = selo_node_pair(&node) == SELO_OK && comes(SELO_NODE_DIGITS) &&
                 selo_node_confirm(&node, 1) == SELO_OK && comes(SELO_NODE_PAIRED);
    return paired ? NULL : "the node did not pair";
}

static const char *join_and_send(const uint8_t reading[READING_BYTES])
{
    const char *why = join();
    return why == NULL ? send_reading(reading) : why;
}
#endif

static void perform(void)
{
#if CLIENT_PAIRS
    node_perform(pair, join_and_send);
#else
    node_perform(join, send_reading);
#endif
}

int main(void)
{
    uint8_t job[ID_BYTES + KEY_BYTES];
    if (port_load("job", job, sizeof job) != sizeof job ||
        selo_node_begin(&node, &hal) != SELO_OK) {
        client_failed("machine", "this job cannot be read", 0);
        return 1;
    }
#if !CLIENT_PAIRS
    uint32_t id = (uint32_t)job[0] | (uint32_t)job[1] << 8 | (uint32_t)job[2] << 16 |
                  (uint32_t)job[3] << 24;
    if (selo_node_provision(&node, id, job + ID_BYTES) != SELO_OK) {
        client_failed("machine", "the node takes no key", 0);
        return 1;
    }
#endif
    return client_run(perform);
}
