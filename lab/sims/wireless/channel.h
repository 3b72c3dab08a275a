/*
 * One radio channel that two stations share. A sender keeps it busy for the duration of the
 * packet, for both stations. Then the packet travels, or is lost. The channel has no clock
 * and no socket: the caller gives the time. Times are in nanoseconds.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CHANNEL_H
#define CHANNEL_H

#include <stddef.h>
#include <stdint.h>

enum { PACKET_BYTES = 2048, QUEUE_PACKETS = 1024 };

struct packet {
    uint64_t due;
    size_t bytes;
    uint8_t data[PACKET_BYTES];
};

/* Packets under way in one direction, in the order of sending. */
struct direction {
    struct packet *packets; /* QUEUE_PACKETS, a ring */
    unsigned first, count;
    uint64_t last_due;
};

struct counts {
    uint64_t packets, bytes; /* delivered */
    uint64_t lost;           /* by the channel */
    uint64_t dropped;        /* by a sender whose queue was full */
};

struct channel {
    uint64_t rate;         /* bits a second */
    uint64_t delay;        /* of every packet, after its sending time */
    uint64_t jitter;       /* maximum deviation from the delay */
    uint64_t queue;        /* maximum waiting time for the channel */
    uint32_t loss;         /* of 2^32 packets */
    uint64_t random;       /* state of the generator; the seed at first */
    uint64_t busy_until;
    struct direction towards[2];
    struct counts counts;
};

/* Starts the channel with the settings in the struct. Returns 0, or -1 if there is no memory. */
int channel_start(struct channel *channel);

/* Gives the channel a packet for station `to`, which the other station sends now. */
void channel_send(struct channel *channel, int to, const uint8_t *data, size_t bytes, uint64_t now);

/* Returns the next packet for station `to` that has arrived by now, or NULL. It is valid until
 * the next call. */
const struct packet *channel_receive(struct channel *channel, int to, uint64_t now);

/* Returns the time at which the next packet arrives; UINT64_MAX if none is under way. */
uint64_t channel_next(const struct channel *channel);

#endif
