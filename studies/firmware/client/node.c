#include "node.h"

#include <string.h>

#include "client.h"

int node_send(const uint8_t *frame, uint8_t size)
{
    uint8_t bytes[1 + UINT8_MAX];
    bytes[0] = size;
    memcpy(bytes + 1, frame, size);
    return client_send(bytes, 1u + size) == 1u + size ? 0 : -1;
}

uint8_t node_receive(uint8_t *frame, uint8_t room)
{
    uint8_t size;
    if (client_receive(&size, 1) != 1 || size > room)
        return 0;
    for (uint8_t have = 0; have < size;) {
        size_t got = client_receive(frame + have, (size_t)(size - have));
        if (got == 0)
            return 0;
        have = (uint8_t)(have + got);
    }
    return size;
}

static int failed(const char *why)
{
    if (why != NULL)
        client_failed("protocol", why, 0);
    return why != NULL;
}

void node_perform(const char *(*handshake)(void),
                  const char *(*exchange)(const uint8_t reading[READING_BYTES]))
{
    uint8_t reading[READING_BYTES];
    const char *why;
    client_begin();
    PORT_MARK(1);
    why = handshake();
    PORT_MARK(2);
    if (failed(why))
        return;
    client_end("handshake");
    if (client_random(reading, sizeof reading) != 0) {
        client_failed("machine", "no randomness", 0);
        return;
    }
    client_begin();
    PORT_MARK(1);
    why = exchange(reading);
    PORT_MARK(2);
    client_end("exchange");
    failed(why);
}
