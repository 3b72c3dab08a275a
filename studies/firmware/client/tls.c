/* The client of ferreira2021's experiment, with the TLS library of an embedded system. It performs
 * the handshake over an open connection, sends one reading, and waits for the answer. `selo exchange
 * tls --client` builds it, starts it and reads its lines (docs/researcher/exchange.md).
 *
 * The file `job` describes the exchange: lines of NAME=VALUE, an empty line, the certificates of the
 * authorities, the request, the session to resume.
 *
 * A client built with CLIENT_RESUMES keeps the session for a later connection. Other clients have no
 * code for it, so the difference between the two is the cost of resuming. */
#include "backend.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Sizes of the job: room for an authority and a request, which a product would have as constants,
 * and for a session, which it would store. */
#ifdef CLIENT_RESUMES
enum { JOB_BYTES = 3072 + 1024 };
#else
enum { JOB_BYTES = 3072 };
#endif

static char file[JOB_BYTES + 1];
static struct job job;
static const char *request;
static size_t request_bytes, session_bytes;
static long long started_at;

time_t client_time(time_t *also);

/* The time at which the job was given. No exchange lasts long enough for the date to change. */
time_t client_time(time_t *also)
{
    if (also != NULL)
        *also = (time_t)started_at;
    return (time_t)started_at;
}

size_t client_authority(const struct job *from, size_t *at, const unsigned char **der)
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

/* Returns 0, or -1 if the job is not for this client. */
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
        else if (strcmp(at, "session") == 0)
            session_bytes = (size_t)strtoul(value, NULL, 10);
        else
            return -1;
        at = end + 1;
    }
    at++;
    left = size - (size_t)(at - file);
    job.authorities = (const unsigned char *)at;
    if (job.host == NULL || job.suite == NULL || job.group == NULL ||
        job.authorities_bytes > left || request_bytes > left - job.authorities_bytes ||
        session_bytes != left - job.authorities_bytes - request_bytes)
        return -1;
    request = at + job.authorities_bytes;
#ifdef CLIENT_RESUMES
    job.session = (const unsigned char *)request + request_bytes;
    job.session_bytes = session_bytes;
    return 0;
#else
    return session_bytes == 0 ? 0 : -1;
#endif
}

/* ---- One exchange ----------------------------------------------------------------------- */

/* Reads the status of the answer. The body, if there is one, is not read. */
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

/* The session for the next connection, from the end of the answer until it is printed. */
#ifdef CLIENT_RESUMES
static unsigned char *session;
static size_t session_size;

static void say_kind(void)
{
    if (backend.resumed())
        client_say("resumed");
}

static int keep(void)
{
    return backend.session(&session, &session_size);
}

static void hand_over(void)
{
    volatile unsigned char *byte = session;
    if (session_size > 0)
        client_say_bytes("session", session, session_size);
    while (session_size > 0)
        byte[--session_size] = 0;
    free(session);
}
#else
static void say_kind(void)
{
}

static int keep(void)
{
    return 0;
}

static void hand_over(void)
{
}
#endif

static void perform(void)
{
    int status, lost;
    client_begin();
    PORT_MARK(1);
    status = backend.handshake(&job);
    PORT_MARK(2);
    if (status != 0) {
        client_failed("protocol", "the handshake failed", status);
        return;
    }
    client_end("handshake");
    say_kind();
    client_begin();
    PORT_MARK(1);
    status = backend.write(request, request_bytes) == 0 ? answer() : -1;
    /* The ticket came before the answer. Converting it to a session is part of its cost. */
    lost = status < 0 ? 0 : keep();
    PORT_MARK(2);
    client_end("exchange");
    if (status < 0)
        client_failed("cut", "no answer", status);
    else if (status / 100 != 2)
        client_failed("refused", "the server did not take the reading", status);
    else if (lost == 0)
        hand_over();
    backend.close();
}

int main(void)
{
    if (read_job() != 0) {
        client_failed("machine", "this job cannot be read", 0);
        return 1;
    }
    return client_run(perform);
}
