/* The functions of tests/avr/kernel.h for a Cortex-M, an RV32 or an Xtensa under QEMU (emulate.py). */
#include "kernel.h"

#include <string.h>

#include "core.h"

#ifdef __riscv
enum { KEPT = 14, FILLED = 12 }; /* the callee also keeps gp and tp, which the program uses */
#define MOVE "mv"
#elif defined(__XTENSA__)
enum { KEPT = 4, FILLED = KEPT };
#define MOVE "mov"
#else
enum { KEPT = 8, FILLED = KEPT };
#define MOVE "mov"
#endif

struct kept {
    uint32_t before[KEPT], after[KEPT], sp_before, sp_after;
};
void kernel_call_checked(kernel_function *function, const kernel_word arguments[6], struct kept *kept);
void kernel_call_marked(kernel_function *function, const kernel_word arguments[6], struct kept *kept);
void kernel_nothing(void);
void kernel_put(char c);

static const char *broken; /* the first thing that a kernel did not keep */
static uint8_t timed;
static uint32_t stack_seen, calls;
enum { PAINTED = 256, PAINT = 0xc5c5c5c5 };

void kernel_put(char c)
{
    core_write(&c, 1);
}

static uint32_t *below(void)
{
    uintptr_t sp;
    __asm__ __volatile__(MOVE " %0, sp" : "=r"(sp));
    return (uint32_t *)(sp & ~(uintptr_t)3) - PAINTED;
}

/* The stack below this function's frame is the kernel's. Fills it, with nothing called between
 * that and the kernel but kernel_call_marked. */
static __attribute__((always_inline)) inline void paint(void)
{
    volatile uint32_t *bottom = below();
    for (uint16_t i = 0; i < PAINTED; i++)
        bottom[i] = PAINT;
}

void kernel_call(kernel_function *function, const kernel_word arguments[6])
{
    static struct kept kept;
    for (uint8_t i = 0; i < FILLED; i++)
        kept.before[i] = kept.before[i] * 1664525 + 1013904223 + i;
    if (!timed) {
        kernel_call_checked(function, arguments, &kept);
    } else {
        paint();
        kernel_call_marked(function, arguments, &kept);
        const volatile uint32_t *bottom = below();
        while (*bottom == PAINT)
            bottom++;
        uint32_t stack = kept.sp_before - (uint32_t)(uintptr_t)bottom;
        if (stack > stack_seen)
            stack_seen = stack;
        calls++;
    }
    if (memcmp(kept.before, kept.after, sizeof kept.before) != 0)
        broken = broken ? broken : "a register that is the caller's";
    if (kept.sp_before != kept.sp_after)
        broken = broken ? broken : "the stack pointer";
}

uint8_t kernel_left(const uint8_t *secret, uint8_t size)
{
    const uint8_t *bottom = (const uint8_t *)below();
    for (uint16_t at = 0; at + 4 <= 4 * PAINTED; at++)
        for (uint8_t i = 0; i + 4 <= size; i++)
            if (memcmp(bottom + at, secret + i, 4) == 0)
                return 1;
    return 0;
}

void kernel_time_begin(void)
{
    static const kernel_word none[6];
    timed = 1;
    kernel_call(kernel_nothing, none);
    stack_seen = 0;
    calls = 0;
}

/* emulate.py replaces the number of calls by what the emulator counted in each. */
void kernel_time_end(const char *name)
{
    timed = 0;
    kernel_put_text("! ");
    kernel_put_text(name);
    kernel_put_text(" calls=");
    kernel_put_number(calls);
    kernel_put_text(" stack=");
    kernel_put_number(stack_seen);
    kernel_put_text("\n");
}

void kernel_end(void)
{
    kernel_check_guards();
    kernel_put_text(broken ? "NOT KEPT: " : "contract kept");
    kernel_put_text(broken ? broken : "");
    kernel_put_text("\n");
    core_exit(0);
}
