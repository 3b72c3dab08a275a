/*
 * Drives an agent image on a chip runner, for the tests of the runners. Its arguments are the runner's
 * command line. It reads commands from standard input, and prints one line for each:
 *
 *   hello                  -> hello PORT LIBRARY VERSION ALGORITHM VARIANT: OPERATION...
 *   run OPERATION HEX...   -> OPERATION status=N cycles=N slept=N stack=N painted=N out=HEX
 *   raw HEX                -> raw FRAMES HEX: the number of answered frames, and the last of them
 *   line TEXT              -> nothing: sends the line to the runner unchanged
 *
 * A field `-` is empty. A fault, stopped or error line of the runner is printed without its cycle, and
 * ends the program with the runner's exit status.
 */
#define _POSIX_C_SOURCE 200809L
#include "../../lab/firmware/agent/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 70000, NAMES = 32 };

static FILE *to_runner, *from_runner;
static pid_t runner;
static uint8_t received[MOST], sending[MOST];
static size_t received_size, sending_size;
static char span[128], names[NAMES][32];
static int name_count;

static void fail(const char *what)
{
    fprintf(stderr, "drive: %s\n", what);
    exit(4);
}

static void start(char **argv)
{
    int in[2], out[2];
    if (pipe(in) != 0 || pipe(out) != 0)
        fail("cannot create pipes");
    runner = fork();
    if (runner < 0)
        fail("cannot start the runner");
    if (runner == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[0]), close(in[1]), close(out[0]), close(out[1]);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(in[0]), close(out[1]);
    to_runner = fdopen(in[1], "w");
    from_runner = fdopen(out[0], "r");
}

static _Noreturn void finish(void)
{
    int status = 0;
    waitpid(runner, &status, 0);
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : 4);
}

static size_t parse_hex(const char *text, uint8_t *bytes)
{
    size_t size = 0;
    unsigned value;
    while (size < MOST && sscanf(text + 2 * size, "%2x", &value) == 1)
        bytes[size++] = (uint8_t)value;
    return size;
}

/* Reads the runner's lines until the chip waits for input. */
static void until_idle(void)
{
    static char line[2 * MOST];
    received_size = 0;
    span[0] = '\0';
    while (fgets(line, sizeof line, from_runner)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "recv ", 5) == 0) {
            received_size += parse_hex(line + 5, received + received_size);
        } else if (strncmp(line, "span ", 5) == 0) {
            snprintf(span + strlen(span), sizeof span - strlen(span), " %.100s", line + 5);
        } else if (strncmp(line, "idle ", 5) == 0) {
            return;
        } else if (strncmp(line, "ready ", 6) != 0) {
            char *cycle = strstr(line, " cycle=");
            if (cycle)
                *cycle = '\0';
            puts(line);
        }
    }
    finish();
}

static void keep(uint8_t byte) { sending[sending_size++] = byte; }

static void send_bytes(const uint8_t *bytes, size_t size)
{
    fputs("send ", to_runner);
    for (size_t i = 0; i < size; i++)
        fprintf(to_runner, "%02x", bytes[i]);
    fputc('\n', to_runner);
    fflush(to_runner);
    until_idle();
}

/* Sends a command. Returns the body of the reply, or NULL if no intact reply came. */
static const uint8_t *ask(uint8_t command, const uint8_t *payload, size_t size, uint16_t *length)
{
    static uint8_t body[MOST], reply[UINT16_MAX], sequence;
    struct frame_decoder decoder;
    body[0] = command;
    body[1] = ++sequence;
    memcpy(body + 2, payload, size);
    sending_size = 0;
    keep(0);
    frame_encode(body, (uint16_t)(size + 2), keep);
    send_bytes(sending, sending_size);
    frame_decoder_start(&decoder, reply, sizeof reply);
    for (size_t i = 0; i < received_size; i++) {
        if (frame_decode(&decoder, received[i]) == FRAME_COMPLETE && reply[1] == sequence) {
            *length = decoder.length;
            return reply;
        }
    }
    return NULL;
}

static void hello(void)
{
    uint16_t length;
    const uint8_t *reply = ask(0x01, NULL, 0, &length);
    if (!reply || reply[0] != 0x81 || length < 10)
        fail("no answer to HELLO");
    const uint8_t *at = reply + 2 + 8, *end = reply + length;
    name_count = 0;
    printf("hello");
    for (int text = 0; at < end; text++) {
        if (text == 5) {
            at++; /* the number of operations */
            printf(":");
        }
        printf(" %.*s", at[0], (const char *)at + 1);
        if (text >= 5 && name_count < NAMES)
            snprintf(names[name_count++], sizeof names[0], "%.*s", at[0], (const char *)at + 1);
        at += 1 + at[0];
    }
    printf("\n");
}

static void run(char *arguments)
{
    static uint8_t payload[MOST];
    char *name = strtok(arguments, " ");
    int operation = 0;
    while (operation < name_count && strcmp(names[operation], name) != 0)
        operation++;
    size_t size = 5;
    uint8_t fields = 0;
    for (char *text; (text = strtok(NULL, " ")) != NULL; fields++) {
        size_t bytes = strcmp(text, "-") == 0 ? 0 : parse_hex(text, payload + size + 2);
        payload[size] = (uint8_t)bytes;
        payload[size + 1] = (uint8_t)(bytes >> 8);
        size += 2 + bytes;
    }
    payload[0] = (uint8_t)operation;
    payload[1] = 1; /* paint the stack */
    payload[2] = 1, payload[3] = 0;
    payload[4] = fields;
    uint16_t length;
    const uint8_t *reply = ask(0x02, payload, size, &length);
    if (!reply) {
        printf("%s silent\n", name);
    } else if (reply[0] != 0x82) {
        printf("%s refused=%u\n", name, reply[2]);
    } else {
        printf("%s status=%u%s painted=%u out=", name, reply[2], span, reply[14] | reply[15] << 8);
        for (uint16_t i = 36; i < length; i++)
            printf("%02x", reply[i]);
        printf("\n");
    }
}

static void print_last_frame(void)
{
    size_t frames = 0, begin = 0;
    for (size_t i = 0; i + 1 < received_size; i++)
        if (received[i] == 0)
            begin = i + 1, frames++;
    printf("raw %zu ", frames + (received_size != 0));
    for (size_t i = begin; i < received_size; i++)
        printf("%02x", received[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    static char line[2 * MOST];
    if (argc < 2)
        fail("usage: drive RUNNER ARGUMENT... <commands");
    start(argv + 1);
    until_idle();
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, "hello") == 0) {
            hello();
        } else if (strncmp(line, "run ", 4) == 0) {
            run(line + 4);
        } else if (strncmp(line, "raw ", 4) == 0) {
            size_t size = parse_hex(line + 4, sending);
            send_bytes(sending, size);
            print_last_frame();
        } else if (strncmp(line, "line ", 5) == 0) {
            fprintf(to_runner, "%s\n", line + 5);
            fflush(to_runner);
        } else {
            fail("unknown command");
        }
    }
    fputs("quit\n", to_runner);
    fclose(to_runner);
    until_idle();
    finish();
}
