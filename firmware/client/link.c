/* A node of the link (docs/protocol.md) on a board's emulator: joins and sends one sealed
 * reading, so that the same is counted of it as of a client with TLS. `selo exchange link` plays
 * the gateway. On the connection each frame stands behind its size.
 *
 * The job is the node's id and its device key. */
#include "client.h"

#include <selo.h>
#include <string.h>

enum { ID_BYTES = 4, KEY_BYTES = 32, READING_BYTES = 16 };

static struct selo_node node;
static uint8_t stored[SELO_LINK_RECORD_BYTES];
/* The node awaits a frame: only then does receiving wait for one. */
static int awaits;

static enum selo_status send_frame(void *unused, const uint8_t *frame, uint8_t size)
{
    uint8_t bytes[1 + SELO_LINK_FRAME_MAX];
    (void)unused;
    bytes[0] = size;
    memcpy(bytes + 1, frame, size);
    return client_send(bytes, 1u + size) == 1u + size ? SELO_OK : SELO_ERROR_SEND;
}

static uint8_t receive_frame(void *unused, uint8_t frame[SELO_LINK_FRAME_MAX])
{
    uint8_t size;
    (void)unused;
    if (!awaits)
        return 0;
    awaits = 0;
    if (client_receive(&size, 1) != 1 || size > SELO_LINK_FRAME_MAX)
        return 0;
    for (uint8_t have = 0; have < size;) {
        size_t got = client_receive(frame + have, (size_t)(size - have));
        if (got == 0)
            return 0;
        have = (uint8_t)(have + got);
    }
    return size;
}

/* Nothing is repeated here, so no time passes. */
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

static void perform(void)
{
    uint8_t reading[READING_BYTES];
    enum selo_status status;
    enum selo_node_event event = SELO_NODE_NOTHING;
    client_begin();
    PORT_MARK(1);
    status = selo_node_join(&node);
    if (status == SELO_OK) {
        awaits = 1;
        event = selo_node_poll(&node);
    }
    PORT_MARK(2);
    if (status != SELO_OK || event != SELO_NODE_JOINED) {
        client_failed("protocol", "the node did not join", status);
        return;
    }
    client_end("handshake");
    if (client_random(reading, sizeof reading) != 0) {
        client_failed("machine", "no randomness", 0);
        return;
    }
    client_begin();
    PORT_MARK(1);
    status = selo_node_send(&node, reading, sizeof reading, 0);
    PORT_MARK(2);
    client_end("exchange");
    if (status != SELO_OK)
        client_failed("protocol", "the reading was not sent", status);
}

int main(void)
{
    uint8_t job[ID_BYTES + KEY_BYTES];
    uint32_t id;
    if (port_load("job", job, sizeof job) != sizeof job ||
        selo_node_begin(&node, &hal) != SELO_OK) {
        client_failed("machine", "this job cannot be read", 0);
        return 1;
    }
    id = (uint32_t)job[0] | (uint32_t)job[1] << 8 | (uint32_t)job[2] << 16 | (uint32_t)job[3] << 24;
    if (selo_node_provision(&node, id, job + ID_BYTES) != SELO_OK) {
        client_failed("machine", "the node takes no key", 0);
        return 1;
    }
    return client_run(perform);
}
