/*
 * Tests of the assembly kernels. Each test_*.c is compiled twice: with the portable C for this
 * machine, and with the kernels for the simulated chip. Both make the same pseudo-random inputs and
 * print a digest of the outputs. run.sh compares the texts.
 *
 * On the chip every call goes through call.S, which fills the registers that a callee must keep and
 * checks them afterwards. A timer interrupts the kernels meanwhile, and overwrites anything that
 * they keep below the stack pointer. `kernel_equal_time` then calls with interrupts off, and compares
 * cycles.
 */
#ifndef SELO_TESTS_AVR_KERNEL_H
#define SELO_TESTS_AVR_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/* The number of inputs; fewer for functions that are slow on the chip without their kernel. */
#ifndef KERNEL_CASES
#define KERNEL_CASES 10000
#endif

/* A buffer between two canaries. kernel_end checks those of every buffer. */
enum { KERNEL_CANARY = 16, KERNEL_BUFFERS = 8 };
#define KERNEL_BUFFER(name, size) \
    static struct { \
        uint8_t before[KERNEL_CANARY], data[size], after[KERNEL_CANARY]; \
    } name __attribute__((aligned(8)))
#define KERNEL_GUARD(name) kernel_guard(name.before, name.after)

void kernel_guard(uint8_t *before, uint8_t *after);

/* Makes inputs. Most are random. Some consist of 0x00 and 0xff, which carry furthest. */
void kernel_fill(void *out, size_t size);

/* Adds an output to the digest of the current series. */
void kernel_fold(const void *data, size_t size);

/* Ends a series: prints its name, its number of cases and its digest. */
void kernel_series(const char *name, uint16_t cases);

/* 1 on a chip, where calls are checked: an AVR, a Cortex-M (tests/arm), an RV32 (tests/riscv) or an
 * Xtensa (tests/xtensa). */
#if defined(__AVR__) || defined(__arm__) || defined(__riscv) || defined(__XTENSA__)
#define KERNEL_ON_CHIP 1
#else
#define KERNEL_ON_CHIP 0
#endif

/* The arguments of a call as the chip passes them, each in a pair of registers or in one. */
#ifdef __AVR__
typedef uint16_t kernel_word;
#else
typedef uintptr_t kernel_word;
#endif
#define KERNEL_ARG(x) ((kernel_word)(x))
typedef void kernel_function(void);

/* KERNEL_CALL(function, argument...): at most six pointers, bytes or halves of words, and no
 * result. On ARM, RV32 and Xtensa at most four, of which the checks see all. */
#if KERNEL_ON_CHIP
void kernel_call(kernel_function *function, const kernel_word arguments[6]);
#define KERNEL_ARGS(a, b, c, d, e, f, ...) \
    (const kernel_word[6]){KERNEL_ARG(a), KERNEL_ARG(b), KERNEL_ARG(c), KERNEL_ARG(d), KERNEL_ARG(e), \
                           KERNEL_ARG(f)}
#define KERNEL_CALL(function, ...) \
    kernel_call((kernel_function *)(function), KERNEL_ARGS(__VA_ARGS__, 0, 0, 0, 0xb7c9, 0x5de3, 0))
#else
#define KERNEL_CALL(function, ...) (function)(__VA_ARGS__)
#endif

/* All calls between these two must take the same number of cycles. On the chip the second prints the
 * cycles and the stack used, on a line that begins with `!`. */
void kernel_time_begin(void);
void kernel_time_end(const char *name);
enum { KERNEL_TIMED = 200 };

/* Returns 1 if the last call has left four consecutive bytes of `secret` on the stack, in either
 * order, else 0; always 0 on this machine. An interrupt may have overwritten them, so check after many
 * calls. */
uint8_t kernel_left(const uint8_t *secret, uint8_t size);

/* Checks the canaries, and ends the program. */
void kernel_end(void);

/* For the code of a chip: prints, and the first of the two things that kernel_end does. */
void kernel_put_text(const char *text);
void kernel_put_number(uint32_t value);
void kernel_check_guards(void);

#endif
