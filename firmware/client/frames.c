#include "frames.h"

#include <string.h>

#include "client.h"

int frames_send(const uint8_t *frame, uint8_t size)
{
    uint8_t bytes[1 + UINT8_MAX];
    bytes[0] = size;
    memcpy(bytes + 1, frame, size);
    return client_send(bytes, 1u + size) == 1u + size ? 0 : -1;
}

uint8_t frames_receive(uint8_t *frame, uint8_t room)
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
