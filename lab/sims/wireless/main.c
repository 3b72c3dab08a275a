/*
 * selo-wireless: a wireless link between two network namespaces, without a kernel driver.
 * It makes a virtual card in each, and a channel between them with a rate, a delay and
 * losses (channel.h). Prints "ready" when the cards exist, and its totals when it is told
 * to end.
 *
 * usage: selo-wireless [OPTION VALUE]... NAMESPACE DEVICE NAMESPACE DEVICE
 * exit: 0 told to end; 1 something failed; 2 wrong usage; 3 the machine cannot make such cards
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <linux/if.h>
#include <linux/if_tun.h>

#include "channel.h"

static const char usage[] =
    "usage: selo-wireless [OPTION VALUE]... NAMESPACE DEVICE NAMESPACE DEVICE\n"
    "  --rate MBIT     megabits a second that both share     (40)\n"
    "  --delay MS      of every packet                       (2)\n"
    "  --jitter MS     up to so much more or less            (0.5)\n"
    "  --loss PERCENT  packets that are sent and not heard   (0.1)\n"
    "  --queue MS      the longest wait for the channel      (100)\n"
    "  --seed N        of what is lost                       (1)\n"
    "Namespaces are those of `ip netns`. Makes a card named DEVICE in each; give them\n"
    "addresses and set them up when it says \"ready\". Ends with SIGTERM or SIGINT.\n";

static volatile sig_atomic_t ended;

static void end(int signal)
{
    (void)signal;
    ended = 1;
}

static void fail(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("selo-wireless: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(code);
}

/* Parses a number between the bounds and multiplies it by the scale. */
static uint64_t number(const char *option, const char *text, double least, double most, double scale)
{
    char *rest;
    double value;
    errno = 0;
    value = strtod(text, &rest);
    if (rest == text || *rest != '\0' || !isfinite(value) || value < least || value > most)
        fail(2, "%s is a number from %g to %g, not %s", option, least, most, text);
    return (uint64_t)(value * scale + 0.5);
}

/* Enters the namespace and makes a virtual card without Ethernet there. */
static int card(const char *namespace, const char *device)
{
    char path[128];
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    int place, file;

    if (snprintf(path, sizeof path, "/run/netns/%s", namespace) >= (int)sizeof path)
        fail(2, "the name %s is too long", namespace);
    if (strlen(device) >= sizeof request.ifr_name || *device == '\0')
        fail(2, "%s is not a valid name of a device: 1 to 15 characters", device);
    strcpy(request.ifr_name, device);
    place = open(path, O_RDONLY | O_CLOEXEC);
    if (place < 0)
        fail(errno == ENOENT ? 2 : 3, "%s: %s", path, strerror(errno));
    if (setns(place, CLONE_NEWNET) < 0)
        fail(3, "cannot enter %s: %s; that takes root", namespace, strerror(errno));
    close(place);
    file = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        fail(3, "/dev/net/tun: %s", strerror(errno));
    if (ioctl(file, TUNSETIFF, &request) < 0)
        fail(3, "no card %s in %s: %s", device, namespace, strerror(errno));
    return file;
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void settings(struct channel *channel, int count, char **words)
{
    for (int i = 0; i + 1 < count; i += 2) {
        const char *option = words[i], *value = words[i + 1];
        if (strcmp(option, "--rate") == 0)
            channel->rate = number(option, value, 0.001, 1e5, 1e6);
        else if (strcmp(option, "--delay") == 0)
            channel->delay = number(option, value, 0, 1e5, 1e6);
        else if (strcmp(option, "--jitter") == 0)
            channel->jitter = number(option, value, 0, 1e5, 1e6);
        else if (strcmp(option, "--loss") == 0)
            channel->loss = (uint32_t)number(option, value, 0, 100, UINT32_MAX / 100.0);
        else if (strcmp(option, "--queue") == 0)
            channel->queue = number(option, value, 0, 1e5, 1e6);
        else if (strcmp(option, "--seed") == 0)
            channel->random = number(option, value, 0, 4294967295.0, 1);
        else
            fail(2, "there is no option %s\n%s", option, usage);
    }
}

int main(int count, char **words)
{
    struct channel channel = {
        .rate = 40000000,
        .delay = 2000000,
        .jitter = 500000,
        .loss = UINT32_MAX / 1000,
        .queue = 100000000,
        .random = 1,
    };
    struct sigaction action = {.sa_handler = end};
    struct pollfd cards[2];
    sigset_t signals, before;

    if (count == 2 && strcmp(words[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (count < 5 || count % 2 == 0) {
        fputs(usage, stderr);
        return 2;
    }
    settings(&channel, count - 5, words + 1);
    if (channel_start(&channel) < 0)
        fail(1, "no memory");
    for (int i = 0; i < 2; i++)
        cards[i] = (struct pollfd){.fd = card(words[count - 4 + 2 * i], words[count - 3 + 2 * i]),
                                   .events = POLLIN};

    /* Signals are only delivered inside ppoll, so none is missed. */
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, &before);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    puts("ready");
    fflush(stdout);

    while (!ended) {
        uint64_t next = channel_next(&channel), time = now();
        uint64_t wait = next > time ? next - time : 0;
        struct timespec timeout = {.tv_sec = (time_t)(wait / 1000000000),
                                   .tv_nsec = (long)(wait % 1000000000)};

        if (ppoll(cards, 2, next == UINT64_MAX ? NULL : &timeout, &before) < 0 && errno != EINTR)
            fail(1, "poll: %s", strerror(errno));
        time = now();
        for (int from = 0; from < 2; from++) {
            uint8_t data[PACKET_BYTES];
            ssize_t bytes;
            /* Packets that are not read yet wait in the card's own queue. */
            while ((bytes = read(cards[from].fd, data, sizeof data)) > 0)
                channel_send(&channel, 1 - from, data, (size_t)bytes, time);
        }
        for (int to = 0; to < 2; to++) {
            const struct packet *packet;
            while ((packet = channel_receive(&channel, to, time)) != NULL)
                if (write(cards[to].fd, packet->data, packet->bytes) < 0)
                    continue; /* the card is down, so the packet is lost */
        }
    }
    printf("carried %llu packets, %llu bytes; lost %llu, dropped %llu\n",
           (unsigned long long)channel.counts.packets, (unsigned long long)channel.counts.bytes,
           (unsigned long long)channel.counts.lost, (unsigned long long)channel.counts.dropped);
    return 0;
}
