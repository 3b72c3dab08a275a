/* The client of ferreira2021's experiment with the TLS library of an embedded system:
 * connects, shakes hands, sends one reading, waits for the answer. Each repetition becomes a
 * row of `selo exchange` on stdout (crates/exchange/src/row.rs), with times, bytes on the
 * wire, and the most heap and stack that the library took.
 *
 * The exchange runs on a stack of its own, painted beforehand; heap is counted around malloc
 * (the linker's --wrap, so the library is linked in statically). The order of the suites is
 * shuffled in every round. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "backend.h"

#define STACK ((size_t)256 << 10)
#define PAINT 0xa5
#define MAX_SUITES 8

static const char READING[] =
    "{\"latitude\":-23.185100,\"longitude\":-50.649700,\"speed\":12.50}";

/* ---- Heap ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *block);
size_t malloc_usable_size(void *block);

static size_t heap_now, heap_most;

static void *taken(void *block) {
    if (block != NULL) {
        heap_now += malloc_usable_size(block);
        if (heap_now > heap_most) {
            heap_most = heap_now;
        }
    }
    return block;
}

void *__wrap_malloc(size_t size) { return taken(__real_malloc(size)); }

void *__wrap_calloc(size_t count, size_t size) { return taken(__real_calloc(count, size)); }

void *__wrap_realloc(void *old, size_t size) {
    size_t had = old == NULL ? 0 : malloc_usable_size(old);
    void *block = __real_realloc(old, size);
    if (block != NULL || size == 0) {
        heap_now -= had;
    }
    return taken(block);
}

void __wrap_free(void *block) {
    if (block != NULL) {
        size_t had = malloc_usable_size(block);
        heap_now -= had < heap_now ? had : heap_now;
    }
    __real_free(block);
}

/* ---- The wire ---- */

static int wire = -1;
static int asked;
static uint64_t sent, received, trips;

int tls_client_send(const void *data, size_t size) {
    ssize_t done = send(wire, data, size, MSG_NOSIGNAL);
    if (done > 0) {
        sent += (uint64_t)done;
        asked = 1;
    }
    return (int)done;
}

int tls_client_receive(void *data, size_t size) {
    ssize_t done = recv(wire, data, size, 0);
    if (done > 0) {
        received += (uint64_t)done;
        trips += (uint64_t)asked;
        asked = 0;
    }
    return (int)done;
}

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int connect_to(const char *host, const char *port) {
    struct addrinfo hints, *found, *each;
    int one = 1, s = -1;
    struct timeval limit = {30, 0};
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host, port, &hints, &found) != 0) {
        return -1;
    }
    for (each = found; each != NULL && s < 0; each = each->ai_next) {
        s = socket(each->ai_family, each->ai_socktype, each->ai_protocol);
        if (s >= 0 && connect(s, each->ai_addr, each->ai_addrlen) != 0) {
            close(s);
            s = -1;
        }
    }
    freeaddrinfo(found);
    if (s >= 0) {
        setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    }
    return s;
}

/* ---- One exchange, on a stack of its own ---- */

struct exchange {
    const char *host, *port, *ca, *suite;
    const char *fault, *reason;
    uint64_t connect, handshake, exchange, handshake_cpu, exchange_cpu;
    uint64_t handshake_sent, handshake_received, handshake_trips, exchange_trips;
    uint64_t sent, received, heap;
};

static const char *failed(struct exchange *e, const char *fault, const char *reason) {
    e->fault = fault;
    e->reason = reason;
    return reason;
}

/* The status of the answer, whose body is not read: 204 has none. */
static int answer(void) {
    char text[2048];
    size_t have = 0;
    while (have < sizeof text - 1) {
        int got = backend.read(text + have, sizeof text - 1 - have);
        if (got <= 0) {
            return -1;
        }
        have += (size_t)got;
        text[have] = '\0';
        if (strstr(text, "\r\n\r\n") != NULL) {
            return strncmp(text, "HTTP/1.1 ", 9) == 0 ? atoi(text + 9) : -1;
        }
    }
    return -1;
}

static void *perform(void *argument) {
    struct exchange *e = argument;
    char request[512];
    uint64_t start, cpu, before = heap_now;
    int size, status;

    heap_most = heap_now;
    sent = received = trips = 0;
    asked = 0;
    start = nanoseconds(CLOCK_MONOTONIC);
    wire = connect_to(e->host, e->port);
    if (wire < 0) {
        return (void *)failed(e, "server-absent", "no server there");
    }
    e->connect = nanoseconds(CLOCK_MONOTONIC) - start;
    size = snprintf(request, sizeof request,
                    "POST /api/v1/exchange/reading HTTP/1.1\r\nHost: %s:%s\r\n"
                    "Content-Type: application/json\r\nContent-Length: %zu\r\n"
                    "Connection: close\r\n\r\n%s",
                    e->host, e->port, sizeof READING - 1, READING);

    start = nanoseconds(CLOCK_MONOTONIC);
    cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    if (backend.handshake(wire, e->host) != 0) {
        failed(e, "protocol", "the handshake failed");
    } else {
        e->handshake = nanoseconds(CLOCK_MONOTONIC) - start;
        e->handshake_cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
        e->handshake_sent = sent;
        e->handshake_received = received;
        e->handshake_trips = trips;
        start = nanoseconds(CLOCK_MONOTONIC);
        cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
        if (backend.write(request, (size_t)size) != 0) {
            failed(e, "cut", "the reading could not be sent");
        } else if ((status = answer()) / 100 != 2) {
            failed(e, status < 0 ? "cut" : "refused", "the server did not take the reading");
        } else {
            e->exchange = nanoseconds(CLOCK_MONOTONIC) - start;
            e->exchange_cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
            e->exchange_trips = trips - e->handshake_trips;
            e->sent = sent;
            e->received = received;
            if (strcmp(backend.suite(), e->suite) != 0) {
                failed(e, "protocol", "another suite was negotiated");
            }
        }
    }
    e->heap = heap_most - before;
    backend.close();
    close(wire);
    return NULL;
}

/* Runs it, and gives the deepest stack. */
static size_t on_painted_stack(struct exchange *e, unsigned char *stack) {
    pthread_attr_t attributes;
    pthread_t thread;
    size_t untouched = 0;
    memset(stack, PAINT, STACK);
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, STACK);
    if (pthread_create(&thread, &attributes, perform, e) != 0) {
        failed(e, "machine", "no thread");
        return 0;
    }
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    while (untouched < STACK && stack[untouched] == PAINT) {
        untouched++;
    }
    return STACK - untouched;
}

static void print_row(const struct exchange *e, size_t stack, const char *scenario,
                      const char *link, int emulated, unsigned repetition, unsigned order,
                      int warm_up) {
    struct utsname machine;
    uname(&machine);
    printf("{\"schema\":\"selo.exchange/1\",\"experiment\":\"tls\",\"scenario\":\"%s\","
           "\"implementation\":\"%s\",\"cipher\":\"%s\",\"group\":\"x25519\","
           "\"handshake\":\"full\",\"payload\":\"reading\",\"bytes\":%zu,\"link\":\"%s\","
           "\"client\":\"%s %s%s\",\"server\":\"https://%s:%s\",\"fidelity\":\"%s\","
           "\"authenticated\":true,\"repetition\":%u,\"order\":%u,\"warm_up\":%s,",
           scenario, backend.name, e->suite, sizeof READING - 1, link, machine.sysname,
           machine.machine, emulated ? ", emulated" : "", e->host, e->port,
           emulated ? "emulated" : "wall-clock", repetition, order, warm_up ? "true" : "false");
    if (e->fault != NULL) {
        printf("\"verified\":false,\"fault\":\"%s\",\"reason\":\"%s\",\"sent\":0,"
               "\"received\":0}\n",
               e->fault, e->reason);
    } else {
        printf("\"verified\":true,\"sent\":%llu,\"received\":%llu,\"tls\":{\"connect\":%llu,"
               "\"handshake\":%llu,\"exchange\":%llu,\"handshake_cpu\":%llu,"
               "\"exchange_cpu\":%llu,\"handshake_sent\":%llu,\"handshake_received\":%llu,"
               "\"handshake_trips\":%llu,\"exchange_trips\":%llu,\"heap\":%llu,"
               "\"stack\":%zu}}\n",
               (unsigned long long)e->sent, (unsigned long long)e->received,
               (unsigned long long)e->connect, (unsigned long long)e->handshake,
               (unsigned long long)e->exchange, (unsigned long long)e->handshake_cpu,
               (unsigned long long)e->exchange_cpu, (unsigned long long)e->handshake_sent,
               (unsigned long long)e->handshake_received,
               (unsigned long long)e->handshake_trips, (unsigned long long)e->exchange_trips,
               (unsigned long long)e->heap, stack);
    }
    fflush(stdout);
}

/* Words that go into JSON as they are. */
static int plain(const char *text) {
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == '"' || *text == '\\') {
            return 0;
        }
    }
    return 1;
}

static int usage(void) {
    const char *const *suite;
    fprintf(stderr, "usage: tls-client HOST PORT CA.PEM [--repeat N] [--scenario WORD] "
                    "[--link WORDS] [--emulated]\nsuites of %s:", backend.name);
    for (suite = backend.suites; *suite != NULL; suite++) {
        fprintf(stderr, " %s", *suite);
    }
    fprintf(stderr, "\n");
    return 2;
}

int main(int argc, char **argv) {
    const char *scenario = "two-processes", *link = "loopback";
    unsigned repeat = 30, round, order = 0, failures = 0, count = 0, i;
    unsigned place[MAX_SUITES];
    int emulated = 0, at;
    uint32_t random = 12345;
    unsigned char *stack;

    if (argc < 4) {
        return usage();
    }
    for (at = 4; at < argc; at++) {
        if (strcmp(argv[at], "--emulated") == 0) {
            emulated = 1;
        } else if (at + 1 == argc || !plain(argv[at + 1])) {
            return usage();
        } else if (strcmp(argv[at], "--repeat") == 0) {
            repeat = (unsigned)strtoul(argv[++at], NULL, 10);
        } else if (strcmp(argv[at], "--scenario") == 0) {
            scenario = argv[++at];
        } else if (strcmp(argv[at], "--link") == 0) {
            link = argv[++at];
        } else {
            return usage();
        }
    }
    if (!plain(argv[1]) || !plain(argv[2]) || repeat == 0 || repeat > 1000000) {
        return usage();
    }
    while (backend.suites[count] != NULL && count < MAX_SUITES) {
        place[count] = count;
        count++;
    }
    if (posix_memalign((void **)&stack, 4096, STACK) != 0) {
        return 4;
    }
    /* The first round is a warm-up. */
    for (round = 0; round <= repeat && failures < 3; round++) {
        for (i = count; i > 1; i--) {
            unsigned j, kept = place[i - 1];
            random = random * 1664525u + 1013904223u;
            j = (random >> 16) % i;
            place[i - 1] = place[j];
            place[j] = kept;
        }
        for (i = 0; i < count && failures < 3; i++) {
            struct exchange e;
            size_t deep = 0;
            memset(&e, 0, sizeof e);
            e.host = argv[1];
            e.port = argv[2];
            e.ca = argv[3];
            e.suite = backend.suites[place[i]];
            if (backend.prepare(e.ca, e.suite) != 0) {
                return 2;
            }
            deep = on_painted_stack(&e, stack);
            backend.finish();
            failures = e.fault == NULL ? 0 : failures + 1;
            if (e.fault != NULL) {
                fprintf(stderr, "%s: %s\n", e.suite, e.reason);
            }
            print_row(&e, deep, scenario, link, emulated, round == 0 ? 0 : round - 1, order++,
                      round == 0);
        }
    }
    free(stack);
    return failures == 0 ? 0 : 1;
}
