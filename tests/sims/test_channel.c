/* Tests the channel of lab/sims/wireless with a simulated clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lab/sims/wireless/channel.h"

#define MS UINT64_C(1000000)

static int passed, failed;

#define CHECK(what)                                                    \
    do {                                                               \
        if (what) {                                                    \
            passed++;                                                  \
        } else {                                                       \
            failed++;                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
        }                                                              \
    } while (0)

static struct channel make(uint32_t loss, uint64_t jitter)
{
    struct channel channel = {
        .rate = 8000000, /* a byte takes 1 us */
        .delay = 2 * MS,
        .jitter = jitter,
        .queue = 10 * MS,
        .loss = loss,
        .random = 1,
    };
    if (channel_start(&channel) < 0)
        exit(1);
    return channel;
}

static void end(struct channel *channel)
{
    free(channel->towards[0].packets);
    free(channel->towards[1].packets);
}

int main(void)
{
    static const uint8_t data[PACKET_BYTES + 1] = "a packet";
    const struct packet *packet;
    struct channel channel = make(0, 0);

    CHECK(channel_next(&channel) == UINT64_MAX);
    channel_send(&channel, 1, data, 1000, 5 * MS); /* 1 ms on the air, 2 ms of delay */
    CHECK(channel_next(&channel) == 8 * MS);
    CHECK(channel_receive(&channel, 1, 8 * MS - 1) == NULL);
    CHECK(channel_receive(&channel, 0, 8 * MS) == NULL);
    packet = channel_receive(&channel, 1, 8 * MS);
    CHECK(packet != NULL && packet->bytes == 1000 && memcmp(packet->data, data, 1000) == 0);
    CHECK(channel_receive(&channel, 1, 99 * MS) == NULL);

    /* Both stations share the channel: the second waits until the first has sent. */
    channel_send(&channel, 1, data, 1000, 20 * MS);
    channel_send(&channel, 0, data, 500, 20 * MS);
    CHECK(channel_receive(&channel, 1, 23 * MS) != NULL);
    CHECK(channel_receive(&channel, 0, 23 * MS + MS / 2 - 1) == NULL);
    CHECK(channel_receive(&channel, 0, 23 * MS + MS / 2) != NULL);

    /* A packet that would wait longer than the queue allows is dropped, and so is an oversized one. */
    for (int i = 0; i < 20; i++)
        channel_send(&channel, 0, data, 1000, 40 * MS);
    CHECK(channel.counts.dropped == 9);
    channel_send(&channel, 0, data, PACKET_BYTES + 1, 90 * MS);
    CHECK(channel.counts.dropped == 10);
    for (int i = 0; i < 11; i++)
        CHECK(channel_receive(&channel, 0, 99 * MS) != NULL);
    CHECK(channel_receive(&channel, 0, 99 * MS) == NULL);
    CHECK(channel.counts.packets == 14 && channel.counts.bytes == 13500 && channel.counts.lost == 0);
    end(&channel);

    /* With jitter, packets arrive in order and within the jitter. */
    channel = make(0, MS);
    for (uint64_t i = 0; i < 500; i++) {
        uint64_t sent = 100 * MS * i, due, before = 0;
        channel_send(&channel, 1, data, 100, sent);
        channel_send(&channel, 1, data + 1, 100, sent);
        due = channel_next(&channel);
        if (due < sent + MS + MS / 10 || due > sent + 3 * MS + MS / 10) {
            CHECK(!"within the jitter");
            break;
        }
        packet = channel_receive(&channel, 1, due);
        before = packet->due;
        CHECK(packet->data[0] == 'a');
        packet = channel_receive(&channel, 1, due + 10 * MS);
        CHECK(packet->data[0] == ' ' && packet->due >= before);
    }
    end(&channel);

    /* A tenth of the packets is lost. The same seed loses the same ones, another seed others. */
    {
        uint64_t fates[3] = {0};
        for (int run = 0; run < 3; run++) {
            channel = make(UINT32_MAX / 10, 0);
            if (run == 2)
                channel.random = 2;
            for (uint64_t i = 0; i < 10000; i++) {
                channel_send(&channel, 1, data, 10, MS * i);
                fates[run] = fates[run] * 31 + (channel_receive(&channel, 1, MS * i + 3 * MS) != NULL);
            }
            CHECK(channel.counts.lost > 900 && channel.counts.lost < 1100);
            CHECK(channel.counts.lost + channel.counts.packets == 10000);
            end(&channel);
        }
        CHECK(fates[0] == fates[1] && fates[0] != fates[2]);
    }

    printf("channel: %d passed, %d failed\n", passed, failed);
    return failed != 0;
}
