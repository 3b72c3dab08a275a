/*
 * RISC-V core of the bare ports (RV32, machine mode): start-up, semihosting, faults.
 *
 * There is a protected region below the stack, and the handler has a separate stack, so that a stack
 * overflow can be reported.
 */
#include "core.h"

/* Newer assemblers treat the control registers as an extension. If the command line named it, the
 * compiler would find no C library. */
__asm__(".option arch, +zicsr");

/* The three instructions must be uncompressed and on one page. */
__attribute__((noinline, aligned(16))) intptr_t core_host(intptr_t operation, const void *arguments)
{
    register intptr_t a0 __asm__("a0") = operation;
    register const void *a1 __asm__("a1") = arguments;
    __asm__ __volatile__(".option push\n\t"
                         ".option norvc\n\t"
                         "j 1f\n\t"
                         ".balign 16\n\t"
                         "1: slli zero, zero, 0x1f\n\t"
                         "ebreak\n\t"
                         "srai zero, zero, 7\n\t"
                         ".option pop"
                         : "+r"(a0) : "r"(a1) : "memory");
    return a0;
}

/* 0 on cores without memory protection, where the runner sees an access below the stack. */
#ifndef CORE_HAS_PROTECTION
#define CORE_HAS_PROTECTION 1
#endif

/* Some cores fix the low bits of the handler's address (mtvec). */
#ifndef CORE_TRAP_ALIGNMENT
#define CORE_TRAP_ALIGNMENT 4
#endif

/* ---- Faults -------------------------------------------------------------------------- */

enum { CAUSE_ILLEGAL_INSTRUCTION = 2, CAUSE_UNALIGNED_LOAD = 4, CAUSE_UNALIGNED_STORE = 6 };
enum { GUARD_BYTES = 64 * 1024 };

static __attribute__((used)) uint64_t fault_stack[64];

__attribute__((used)) void core_fault_at(uintptr_t cause, uintptr_t pc, uintptr_t address, uintptr_t sp)
{
    uintptr_t low = (uintptr_t)core_stack_low;
    if (sp < low || (address < low && address >= low - GUARD_BYTES))
        core_fault("stack-collision", pc, sp);
    int unaligned = cause == CAUSE_UNALIGNED_LOAD || cause == CAUSE_UNALIGNED_STORE;
    core_fault(cause == CAUSE_ILLEGAL_INSTRUCTION ? "invalid-opcode"
               : unaligned                        ? "unaligned-access"
                                                  : "invalid-access",
               pc, address);
}

__attribute__((naked, aligned(CORE_TRAP_ALIGNMENT))) void core_on_fault(void)
{
    __asm__ __volatile__("csrr a0, mcause\n\t"
                         "csrr a1, mepc\n\t"
                         "csrr a2, mtval\n\t"
                         "mv a3, sp\n\t"
                         "la sp, fault_stack + 512\n\t"
                         "j core_fault_at");
}

/* ---- Start --------------------------------------------------------------------------- */

/* Defined by the linker. */
extern uint32_t core_data_start[], core_data_end[], core_bss_start[], core_bss_end[];
extern const uint32_t core_data_load[];
int main(void);

/* Thread-local memory of the only thread: errno. The linker checks that there is nothing else. */
__attribute__((used, aligned(16))) uint8_t core_thread[16];

/* One locked region without access, a naturally aligned power of two, which ends at the stack. */
static inline void guard_stack(void)
{
    uintptr_t region = ((uintptr_t)core_stack_low - GUARD_BYTES) >> 2 | (GUARD_BYTES / 8 - 1);
    __asm__ __volatile__("csrw pmpaddr0, %0\n\tcsrw pmpcfg0, %1" : : "r"(region), "r"(0x98));
}

__attribute__((used, noreturn)) void core_start(void)
{
    const uint32_t *from = core_data_load;
    for (uint32_t *to = core_data_start; to < core_data_end;)
        *to++ = *from++;
    for (uint32_t *to = core_bss_start; to < core_bss_end;)
        *to++ = 0;
    if (CORE_HAS_PROTECTION)
        guard_stack();
    main();
    core_exit(0);
}

__attribute__((naked, noreturn, section(".vectors"))) void core_reset(void)
{
    __asm__ __volatile__(".option push\n\t"
                         ".option norelax\n\t"
                         "la gp, __global_pointer$\n\t"
                         ".option pop\n\t"
                         "la sp, core_stack_top\n\t"
                         "la tp, core_thread\n\t"
                         "la t0, core_on_fault\n\t"
                         "csrw mtvec, t0\n\t"
                         "j core_start");
}
