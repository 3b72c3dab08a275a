/*
 * Cortex-M core of the bare ports, from ARMv6-M on: vectors, start-up, semihosting, faults.
 *
 * The program runs on the process stack. Faults are handled on a separate stack, so that a stack
 * overflow can still be reported.
 */
#include "core.h"

intptr_t core_host(intptr_t operation, const void *arguments)
{
    register intptr_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = arguments;
    __asm__ __volatile__("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

/* ---- Faults -------------------------------------------------------------------------- */

/* Registers of ARMv7-M and later; ARMv6-M reads zeros. */
#define CONFIGURABLE_FAULT (*(volatile uint32_t *)0xE000ED28)
#define FAULT_ADDRESS (*(volatile uint32_t *)0xE000ED38)
enum {
    FRAME_PC = 6, /* offset of the stacked program counter in an exception frame */
    FRAME_BYTES = 32,
    GUARD_FAULT = 0x3A, /* data access, refused by the guard */
    FETCH_FAULT = 1,    /* fetch from a region that is not executable */
    STACK_OVERFLOW = 1 << 20, /* the stack limit */
    BUS_FAULT = 0xFF00,
    FAULT_ADDRESS_VALID = 1 << 15,
    UNDEFINED_INSTRUCTION = 1 << 16,
    INVALID_STATE = 1 << 17
};

__attribute__((used)) void core_fault_at(const uint32_t *frame)
{
    if ((uintptr_t)frame < (uintptr_t)core_stack_low
        || (uintptr_t)frame > (uintptr_t)core_stack_top - FRAME_BYTES)
        core_fault("stack-collision", 0, (uintptr_t)frame);
    uint32_t pc = frame[FRAME_PC];
#if __ARM_ARCH >= 7
    uint32_t fault = CONFIGURABLE_FAULT;
    if (fault & (GUARD_FAULT | STACK_OVERFLOW))
        core_fault("stack-collision", pc, (uintptr_t)frame);
    if (fault & (UNDEFINED_INSTRUCTION | INVALID_STATE))
        core_fault("invalid-opcode", pc, pc);
    if (fault & FETCH_FAULT)
        core_fault("invalid-access", pc, pc);
    if (fault & BUS_FAULT)
        core_fault("invalid-access", pc, fault & FAULT_ADDRESS_VALID ? FAULT_ADDRESS : 0);
#endif
    core_fault("hard-fault", pc, 0);
}

static __attribute__((naked)) void on_fault(void)
{
    __asm__ __volatile__("mrs r0, psp\n\tldr r1, =core_fault_at\n\tbx r1\n\t.ltorg");
}

/* ---- Start --------------------------------------------------------------------------- */

/* Defined by the linker. */
extern uint32_t core_data_start[], core_data_end[], core_bss_start[], core_bss_end[];
extern const uint32_t core_data_load[];
int main(void);

static uint64_t fault_stack[64];

/* A guard below the stack. ARMv8-M has a limit of the stack pointer. ARMv7-M has a region of 16 MB
 * without access, because some machines ignore accesses to absent memory. ARMv6-M faults there. */
static void guard_stack(void)
{
#if __ARM_ARCH >= 8
    __asm__ __volatile__("msr psplim, %0" : : "r"(core_stack_low));
#elif __ARM_ARCH == 7
    volatile uint32_t *control = (volatile uint32_t *)0xE000ED94;
    enum { REGION = 1, BASE = 2, ATTRIBUTES = 3 }; /* offset, in words, from the control register */
    enum { GUARD_BITS = 24, NEVER_EXECUTED = 1 << 28, ENABLED = 1, ELSE_AS_USUAL = 4 };
    control[REGION] = 0;
    control[BASE] = (uintptr_t)core_stack_low - (1u << GUARD_BITS);
    control[ATTRIBUTES] = NEVER_EXECUTED | (GUARD_BITS - 1) << 1 | ENABLED;
    control[0] = ENABLED | ELSE_AS_USUAL;
    __asm__ __volatile__("dsb\n\tisb");
#endif
}

__attribute__((used, noreturn)) void core_start(void)
{
    const uint32_t *from = core_data_load;
    for (uint32_t *to = core_data_start; to < core_data_end;)
        *to++ = *from++;
    for (uint32_t *to = core_bss_start; to < core_bss_end;)
        *to++ = 0;
    guard_stack();
    main();
    core_exit(0);
}

__attribute__((naked, noreturn)) void core_reset(void)
{
    __asm__ __volatile__("ldr r0, =core_stack_top\n\t"
                         "msr psp, r0\n\t"
                         "movs r0, #2\n\t"
                         "msr control, r0\n\t" /* the process stack from here on */
                         "isb\n\t"
                         "ldr r0, =core_start\n\t"
                         "bx r0\n\t"
                         ".ltorg");
}

typedef void vector(void);
__attribute__((section(".vectors"), used)) static vector *const vectors[16] = {
    (vector *)&fault_stack[64], core_reset, on_fault, on_fault, on_fault, on_fault, on_fault,
    0, 0, 0, 0, on_fault, on_fault, 0, on_fault, on_fault,
};
