/*
 * The channel of channel.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "channel.h"

#include <stdlib.h>
#include <string.h>

/* SplitMix64 [SPLITMIX64]: the losses only depend on the seed. */
static uint64_t draw(struct channel *channel)
{
    uint64_t x = channel->random += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

int channel_start(struct channel *channel)
{
    for (int to = 0; to < 2; to++) {
        channel->towards[to] = (struct direction){
            .packets = malloc(QUEUE_PACKETS * sizeof(struct packet)),
        };
        if (channel->towards[to].packets == NULL)
            return -1;
    }
    return 0;
}

void channel_send(struct channel *channel, int to, const uint8_t *data, size_t bytes, uint64_t now)
{
    struct direction *direction = &channel->towards[to];
    /* Both are drawn for every packet, so that a dropped packet does not change the others. */
    uint32_t fate = (uint32_t)(draw(channel) >> 32);
    uint64_t shift = channel->jitter == 0 ? 0 : draw(channel) % (2 * channel->jitter + 1);
    uint64_t start = channel->busy_until > now ? channel->busy_until : now;
    struct packet *packet;

    if (bytes > PACKET_BYTES || start - now > channel->queue || direction->count == QUEUE_PACKETS) {
        channel->counts.dropped++;
        return;
    }
    channel->busy_until = start + bytes * 8 * UINT64_C(1000000000) / channel->rate;
    if (fate < channel->loss) {
        channel->counts.lost++;
        return;
    }
    packet = &direction->packets[(direction->first + direction->count++) % QUEUE_PACKETS];
    packet->due = channel->busy_until + channel->delay + shift;
    packet->due -= packet->due < channel->jitter ? packet->due : channel->jitter;
    if (packet->due < channel->busy_until)
        packet->due = channel->busy_until;
    if (packet->due < direction->last_due) /* packets do not overtake each other */
        packet->due = direction->last_due;
    direction->last_due = packet->due;
    packet->bytes = bytes;
    memcpy(packet->data, data, bytes);
}

const struct packet *channel_receive(struct channel *channel, int to, uint64_t now)
{
    struct direction *direction = &channel->towards[to];
    const struct packet *packet = &direction->packets[direction->first];

    if (direction->count == 0 || packet->due > now)
        return NULL;
    direction->first = (direction->first + 1) % QUEUE_PACKETS;
    direction->count--;
    channel->counts.packets++;
    channel->counts.bytes += packet->bytes;
    return packet;
}

uint64_t channel_next(const struct channel *channel)
{
    uint64_t next = UINT64_MAX;
    for (int to = 0; to < 2; to++) {
        const struct direction *direction = &channel->towards[to];
        if (direction->count > 0 && direction->packets[direction->first].due < next)
            next = direction->packets[direction->first].due;
    }
    return next;
}
