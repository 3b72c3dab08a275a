/* The client of ferreira2021's experiment with the TLS library of an embedded system: shakes
 * hands over a connection that stands, sends one reading, waits for the answer. `selo exchange
 * tls --client` builds, starts and hears it (docs/exchange.md).
 *
 * What to do is in the file `job`: lines of NAME=VALUE, an empty one, the authorities'
 * certificates, the request. What happened goes back in lines. Instructions are counted between
 * marks by who emulates the machine; heap is counted around malloc (the linker's --wrap). */
#include "backend.h"
#include "mark.h"
#include "port.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of the job: room for an authority and a request. In a product both are constants. */
enum { JOB_BYTES = 3072, FILE_LINES = 8 };

static char file[JOB_BYTES + 1];
static struct job job;
static const char *request;
static size_t request_bytes;
static long long started_at;
static int has_failed;

/* ---- Lines ------------------------------------------------------------------------------ */

#define SAY(...)                                                                               \
    do {                                                                                       \
        char line_[160];                                                                       \
        int size_ = snprintf(line_, sizeof line_, __VA_ARGS__);                                \
        if (size_ > 0 && (size_t)size_ < sizeof line_)                                         \
            port_say(line_, (size_t)size_);                                                    \
    } while (0)

void tls_client_failed(const char *fault, const char *reason, long number)
{
    if (!has_failed)
        SAY("failed fault=%s number=%ld reason=%s\n", fault, number, reason);
    has_failed = 1;
}

/* ---- Heap -------------------------------------------------------------------------------
 * A library's own calloc and realloc may call malloc, which would count twice: they are here. */

void *__real_malloc(size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *block);

static size_t heap_now, heap_most;

void *__wrap_malloc(size_t size)
{
    void *block = __real_malloc(size);
    if (block != NULL) {
        heap_now += malloc_usable_size(block);
        if (heap_now > heap_most)
            heap_most = heap_now;
    }
    return block;
}

void __wrap_free(void *block)
{
    if (block != NULL)
        heap_now -= malloc_usable_size(block);
    __real_free(block);
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *block = size != 0 && count > SIZE_MAX / size ? NULL : __wrap_malloc(count * size);
    return block == NULL ? NULL : memset(block, 0, count * size);
}

void *__wrap_realloc(void *old, size_t size)
{
    void *block = __wrap_malloc(size);
    if (block != NULL && old != NULL) {
        size_t had = malloc_usable_size(old);
        memcpy(block, old, had < size ? had : size);
        __wrap_free(old);
    }
    return block;
}

/* ---- For the library -------------------------------------------------------------------- */

static unsigned asked;
static unsigned long sent, received, trips;

size_t tls_client_send(const void *data, size_t size)
{
    size_t done = port_send(data, size);
    sent += (unsigned long)done;
    asked = 1;
    return done;
}

size_t tls_client_receive(void *data, size_t size)
{
    size_t done = port_receive(data, size);
    received += (unsigned long)done;
    trips += asked;
    asked = 0;
    return done;
}

int tls_client_random(unsigned char *to, unsigned int size);
time_t tls_client_time(time_t *also);

int tls_client_random(unsigned char *to, unsigned int size)
{
    return port_load("/dev/urandom", to, size) == size ? 0 : -1;
}

/* When the job was given: no exchange lasts so long that a date would change. */
time_t tls_client_time(time_t *also)
{
    if (also != NULL)
        *also = (time_t)started_at;
    return (time_t)started_at;
}

size_t tls_client_authority(const struct job *from, size_t *at, const unsigned char **der)
{
    size_t left = from->authorities_bytes - *at, size;
    const unsigned char *p = from->authorities + *at;
    if (left < 4 || p[0] != 0x30)
        return 0;
    if (p[1] < 0x80)
        size = 2u + p[1];
    else if (p[1] == 0x81)
        size = 3u + p[2];
    else if (p[1] == 0x82)
        size = 4u + ((size_t)p[2] << 8) + p[3];
    else
        return 0;
    if (size > left)
        return 0;
    *der = p;
    *at += size;
    return size;
}

/* ---- The job ---------------------------------------------------------------------------- */

/* 0, or -1: it is not of this client. */
static int read_job(void)
{
    size_t size = port_load("job", file, sizeof file);
    size_t left;
    char *at = file;
    if (size == 0 || size > JOB_BYTES)
        return -1;
    file[size] = '\0';
    while (*at != '\n') {
        char *end = strchr(at, '\n'), *value = strchr(at, '=');
        if (end == NULL || value == NULL || value > end)
            return -1;
        *end = *value++ = '\0';
        if (strcmp(at, "host") == 0)
            job.host = value;
        else if (strcmp(at, "suite") == 0)
            job.suite = value;
        else if (strcmp(at, "group") == 0)
            job.group = value;
        else if (strcmp(at, "time") == 0)
            started_at = strtol(value, NULL, 10);
        else if (strcmp(at, "authorities") == 0)
            job.authorities_bytes = (size_t)strtoul(value, NULL, 10);
        else if (strcmp(at, "request") == 0)
            request_bytes = (size_t)strtoul(value, NULL, 10);
        else
            return -1;
        at = end + 1;
    }
    at++;
    left = size - (size_t)(at - file);
    job.authorities = (const unsigned char *)at;
    request = at + job.authorities_bytes;
    return job.host == NULL || job.suite == NULL || job.group == NULL ||
                   left != job.authorities_bytes + request_bytes
               ? -1
               : 0;
}

/* ---- One exchange ----------------------------------------------------------------------- */

struct part {
    uint64_t wall, processor;
    unsigned long sent, received, trips;
};

static struct part now(void)
{
    return (struct part){port_wall(), port_processor(), sent, received, trips};
}

static void say(const char *name, struct part from)
{
    struct part to = now();
    SAY("%s wall=%lu processor=%lu sent=%lu received=%lu trips=%lu\n", name,
        (unsigned long)(to.wall - from.wall), (unsigned long)(to.processor - from.processor),
        to.sent - from.sent, to.received - from.received, to.trips - from.trips);
}

/* The status of the answer; its body, if it has one, is not read. */
static int answer(void)
{
    char text[512];
    size_t have = 0;
    while (have < sizeof text - 1) {
        int got = backend.read(text + have, sizeof text - 1 - have);
        if (got <= 0)
            return -1;
        have += (size_t)got;
        text[have] = '\0';
        if (strstr(text, "\r\n\r\n") != NULL)
            break;
    }
    return strncmp(text, "HTTP/1.1 ", 9) == 0 ? atoi(text + 9) : -1;
}

static void perform(void)
{
    struct part from;
    int status;
    heap_most = heap_now;
    SAY("begin\n");
    from = now();
    PORT_MARK(1);
    status = backend.handshake(&job);
    PORT_MARK(2);
    if (status != 0) {
        tls_client_failed("protocol", "the handshake failed", status);
        return;
    }
    say("handshake", from);
    from = now();
    PORT_MARK(1);
    status = backend.write(request, request_bytes) == 0 ? answer() : -1;
    PORT_MARK(2);
    say("exchange", from);
    if (status < 0)
        tls_client_failed("cut", "no answer", status);
    else if (status / 100 != 2)
        tls_client_failed("refused", "the server did not take the reading", status);
    backend.close();
}

int main(void)
{
    size_t stack;
    if (read_job() != 0) {
        tls_client_failed("machine", "this job cannot be read", 0);
        return 1;
    }
    stack = port_on_painted_stack(perform);
    SAY("memory heap=%lu stack=%lu\n", (unsigned long)heap_most, (unsigned long)stack);
    return has_failed;
}
