/*
 * The checks of the C unit tests: one header, no framework. A test is a program whose main ends with
 * `return check_report("aes");`. This prints "aes: N passed, M failed". The exit status is 1 if a
 * check failed, or if there was none.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of cases to run from a long list: all with CHECK_ALL, else the first `few`. The cases
 * come from a fixed seed, so a sample is the same in every run. */
#ifdef CHECK_ALL
#define CHECK_SAMPLE(all, few) (all)
#else
#define CHECK_SAMPLE(all, few) (few)
#endif

static unsigned long check_passed, check_failed;

static inline int check_that(int holds, const char *what, const char *file, int line)
{
    if (holds) {
        check_passed++;
    } else {
        check_failed++;
        fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
    }
    return holds;
}

static inline void check_print_bytes(const char *label, const uint8_t *bytes, size_t size)
{
    fprintf(stderr, "  %s ", label);
    for (size_t i = 0; i < size; i++) {
        fprintf(stderr, "%02x", bytes[i]);
    }
    fprintf(stderr, "\n");
}

static inline int check_bytes(const void *got, const void *want, size_t size, const char *what,
                              const char *file, int line)
{
    int holds = check_that(size == 0 || memcmp(got, want, size) == 0, what, file, line);
    if (!holds) {
        check_print_bytes("got ", got, size);
        check_print_bytes("want", want, size);
    }
    return holds;
}

/* CHECK(condition) counts and, on failure, prints the condition and its place. */
#define CHECK(condition) check_that((condition) != 0, #condition, __FILE__, __LINE__)

/* CHECK_BYTES(got, want, size) also prints both byte strings. */
#define CHECK_BYTES(got, want, size) \
    check_bytes((got), (want), (size), #got " == " #want, __FILE__, __LINE__)

/* True if all `size` bytes are zero, as every output must be after a failure. */
static inline int check_is_zero(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return 0;
        }
    }
    return 1;
}

/* Parses hex (spaces between bytes allowed) into out. Returns the number of bytes. A vector that is
 * malformed or too long ends the program, because the test itself is wrong. */
static inline size_t check_hex(uint8_t *out, size_t capacity, const char *hex)
{
    size_t size = 0;
    while (*hex != 0) {
        unsigned value;
        int used;
        if (*hex == ' ') {
            hex++;
            continue;
        }
        if (size == capacity || sscanf(hex, "%2x%n", &value, &used) != 1 || used != 2) {
            fprintf(stderr, "check_hex: bad vector at \"%s\"\n", hex);
            exit(2);
        }
        out[size++] = (uint8_t)value;
        hex += 2;
    }
    return size;
}

/* Pseudo-random bytes, the same in every run: xorshift32. Not for keys. */
static inline uint32_t check_random(void)
{
    static uint32_t state = 0x2545f491;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static inline void check_random_bytes(void *out, size_t size)
{
    uint8_t *bytes = out;
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(check_random() >> 24);
    }
}

static inline int check_report(const char *name)
{
    printf("%s: %lu passed, %lu failed\n", name, check_passed, check_failed);
    return check_failed != 0 || check_passed == 0;
}

#endif
