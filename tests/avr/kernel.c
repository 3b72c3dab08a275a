/* The functions of kernel.h, for both machines. */
#include "kernel.h"

#include <string.h>

#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

static void put(char c)
{
    while (!(UCSR0A & _BV(UDRE0)))
        ;
    UDR0 = (uint8_t)c;
}
#elif KERNEL_ON_CHIP
void kernel_put(char c); /* tests/arm/chip.c, which also has what a chip does with calls */
#define put kernel_put
#else
#include <stdio.h>

static void put(char c) { putchar(c); }
#endif

void kernel_put_text(const char *text)
{
    while (*text)
        put(*text++);
}

static void put_hex(uint32_t value)
{
    for (int8_t shift = 28; shift >= 0; shift = (int8_t)(shift - 4))
        put("0123456789abcdef"[value >> shift & 15]);
}

void kernel_put_number(uint32_t value)
{
    char digits[11];
    uint8_t n = sizeof digits - 1;
    digits[n] = 0;
    do {
        digits[--n] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    kernel_put_text(digits + n);
}

/* ---- Inputs and digest --------------------------------------------------------- */

static uint32_t random_state = 1;

static uint8_t random_byte(void)
{
    random_state = random_state * 1664525 + 1013904223; /* the upper byte has the best randomness */
    return (uint8_t)(random_state >> 24);
}

void kernel_fill(void *out, size_t size)
{
    uint8_t *bytes = out;
    uint8_t kind = random_byte();
    for (; size != 0; size--) {
        uint8_t byte = random_byte();
        if (kind < 32 && byte & 0x40)
            byte = byte & 0x80 ? 0xff : 0;
        *bytes++ = byte;
    }
}

/* FNV-1a of 32 bits. Every step is a bijection of the state, so later correct outputs never hide a
 * wrong one. */
static uint32_t digest = 2166136261u;

void kernel_fold(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    while (size-- != 0)
        digest = (digest ^ *bytes++) * 16777619u;
}

void kernel_series(const char *name, uint16_t cases)
{
    kernel_put_text(name);
    put(' ');
    kernel_put_number(cases);
    put(' ');
    put_hex(digest);
    put('\n');
    digest = 2166136261u;
}

static uint8_t *guards[2 * KERNEL_BUFFERS];
static uint8_t guard_count;

void kernel_guard(uint8_t *before, uint8_t *after)
{
    memset(before, 0xa5, KERNEL_CANARY);
    memset(after, 0xa5, KERNEL_CANARY);
    guards[guard_count++] = before;
    guards[guard_count++] = after;
}

void kernel_check_guards(void)
{
    uint8_t whole = 1;
    for (uint8_t i = 0; i < guard_count; i++)
        for (uint8_t j = 0; j < KERNEL_CANARY; j++)
            if (guards[i][j] != 0xa5)
                whole = 0;
    kernel_put_text(whole ? "canaries whole\n" : "canaries OVERWRITTEN\n");
}

#ifdef __AVR__

/* ---- On the chip ----------------------------------------------------------------- */

/* The variables that call.S reads and writes. */
uint8_t kernel_before[18], kernel_after[18], kernel_r1, kernel_sreg_before, kernel_sreg_after;
uint8_t kernel_kilocycles; /* multiples of 1,024, with an error of at most one: up to 262,000 cycles */
uint16_t kernel_sp_before, kernel_sp_after, kernel_counter;
void kernel_call_checked(kernel_function *function, const kernel_word arguments[6]);
void kernel_nothing(void);

static const char *broken; /* the first register that a kernel did not keep */
static uint8_t timed;
static uint32_t cycles_seen, overhead;
static uint16_t stack_seen;
#ifdef SELO_AES_SBOX_IN_RAM
enum { PAINTED = 128 }; /* the two tables leave no more RAM */
#else
enum { PAINTED = 512 };
#endif
enum { PAINT = 0xc5 };

#ifdef __AVR_3_BYTE_PC__
enum { CALL_AND_RETURN = 9 };

/* All code behind it is above the first 128 KB, where addresses have 17 bits and Z needs a stub. */
extern const uint8_t kernel_ballast[];
__asm__(".section .lowtext.kernel_ballast, \"a\", @progbits\n"
        ".global kernel_ballast\n"
        "kernel_ballast: .space 0x20000\n"
        ".text\n");
#else
enum { CALL_AND_RETURN = 7 };
#endif

/* Fills the memory below, so that a function that uses undeclared stack is detected. */
ISR(TIMER0_COMPA_vect)
{
    volatile uint8_t frame[24];
    for (uint8_t i = 0; i < sizeof frame; i++)
        frame[i] = 0x5a;
    OCR0A = (uint8_t)(OCR0A * 5 + 77) | 0x40;
}

static void find(const char *what)
{
    if (broken == NULL)
        broken = what;
}

void kernel_call(kernel_function *function, const kernel_word arguments[6])
{
    for (uint8_t i = 0; i < sizeof kernel_before; i++)
        kernel_before[i] = (uint8_t)(kernel_before[i] * 5 + 2 * i + 1);
    uint8_t *top = (uint8_t *)SP;
    if (timed)
        for (uint8_t *p = top - PAINTED; p != top; p++)
            *p = PAINT;
    kernel_call_checked(function, arguments);
    if (memcmp(kernel_before, kernel_after, sizeof kernel_before) != 0)
        find("a register that is the caller's");
    if (kernel_r1 != 0)
        find("r1");
    if (kernel_sp_before != kernel_sp_after)
        find("the stack pointer");
    if ((kernel_sreg_before ^ kernel_sreg_after) & _BV(SREG_I))
        find("the interrupt flag");
    if (timed) {
        uint32_t cycles = kernel_counter - overhead;
        uint32_t turns = ((uint32_t)kernel_kilocycles * 1024 + 32768 - kernel_counter) / 65536;
        if ((int32_t)((uint32_t)kernel_kilocycles * 1024 + 32768 - kernel_counter) > 0)
            cycles += turns * 65536;
        uint8_t *p = top - PAINTED;
        while (*p == PAINT)
            p++;
        uint16_t stack = (uint16_t)((uint8_t *)kernel_sp_before - p + 1);
        if (timed == 1)
            cycles_seen = cycles;
        else if (cycles != cycles_seen)
            find("equal time");
        if (stack > stack_seen)
            stack_seen = stack;
        timed = 2;
    }
}

uint8_t kernel_left(const uint8_t *secret, uint8_t size)
{
    const uint8_t *top = (const uint8_t *)SP;
    for (const uint8_t *p = top - 256; p + 4 <= top; p++)
        for (uint8_t i = 0; i + 4 <= size; i++) {
            const uint8_t *s = secret + i;
            if ((p[0] == s[0] && p[1] == s[1] && p[2] == s[2] && p[3] == s[3]) ||
                (p[0] == s[3] && p[1] == s[2] && p[2] == s[1] && p[3] == s[0]))
                return 1;
        }
    return 0;
}

static void timer_on(void)
{
    TCCR0A = _BV(WGM01);
    TCCR0B = _BV(CS01); /* every 512 to 2,048 cycles */
    TIMSK0 = _BV(OCIE0A);
    sei();
}

void kernel_time_begin(void)
{
    static const kernel_word none[6];
    cli();
    timed = 0;
    overhead = 0;
    kernel_call(kernel_nothing, none);
    overhead = kernel_counter - CALL_AND_RETURN; /* which belong to a function */
    timed = 1;
    stack_seen = 0;
}

void kernel_time_end(const char *name)
{
    timed = 0;
    sei();
    kernel_put_text("! ");
    kernel_put_text(name);
    kernel_put_text(" cycles=");
    kernel_put_number(cycles_seen);
    kernel_put_text(" stack=");
    kernel_put_number(stack_seen);
    put('\n');
}

void kernel_end(void)
{
    kernel_check_guards();
    kernel_put_text(broken ? "NOT KEPT: " : "contract kept");
    kernel_put_text(broken ? broken : "");
    put('\n');
    while (!(UCSR0A & _BV(TXC0)))
        ;
    cli();
    set_sleep_mode(SLEEP_MODE_PWR_DOWN);
    sleep_enable();
    for (;;)
        sleep_cpu();
}

__attribute__((constructor)) static void start(void)
{
    UBRR0 = 0;
    UCSR0A = _BV(U2X0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(TXEN0);
    timer_on();
}

#elif !KERNEL_ON_CHIP

uint8_t kernel_left(const uint8_t *secret, uint8_t size)
{
    (void)secret;
    (void)size;
    return 0;
}

void kernel_time_begin(void) {}
void kernel_time_end(const char *name) { (void)name; }

void kernel_end(void)
{
    kernel_check_guards();
    kernel_put_text("contract kept\n");
}

#endif
