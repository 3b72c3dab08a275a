/*
 * Xtensa LX106 core of the bare ports: start-up, the simulator's calls (SIMCALL), faults.
 */
#include "core.h"

enum { SYS_EXIT = 1, SYS_READ = 3, SYS_WRITE = 4, SYS_OPEN = 5, SYS_CLOSE = 6 };

/* Returns the number of bytes, or -1. */
static int32_t host(int32_t call, int32_t first, const void *bytes, size_t size)
{
    register int32_t a2 __asm__("a2") = call;
    register int32_t a3 __asm__("a3") = first;
    register const void *a4 __asm__("a4") = bytes;
    register size_t a5 __asm__("a5") = size;
    __asm__ __volatile__("simcall" : "+r"(a2), "+r"(a3) : "r"(a4), "r"(a5) : "memory");
    return a2;
}

size_t core_read(void *to, size_t size)
{
    int32_t got = host(SYS_READ, 0, to, size);
    return got < 0 ? 0 : (size_t)got;
}

void core_write(const void *from, size_t size)
{
    host(SYS_WRITE, 1, from, size);
}

void core_say(const char *text, size_t size)
{
    host(SYS_WRITE, 2, text, size);
}

size_t core_load(const char *name, void *to, size_t size)
{
    int32_t file = host(SYS_OPEN, (int32_t)(uintptr_t)name, NULL, 0);
    size_t have = 0;
    while (file >= 0 && have < size) {
        int32_t got = host(SYS_READ, file, (uint8_t *)to + have, size - have);
        if (got <= 0)
            break;
        have += (size_t)got;
    }
    if (file >= 0)
        host(SYS_CLOSE, file, NULL, 0);
    return have;
}

void core_exit(uint8_t status)
{
    for (;;)
        host(SYS_EXIT, status, NULL, 0);
}

/* ---- Faults -------------------------------------------------------------------------- */

enum { CAUSE_ILLEGAL_INSTRUCTION = 0, CAUSE_UNALIGNED = 9 };

static __attribute__((used)) uint64_t fault_stack[64];

__attribute__((used)) void core_fault_at(uintptr_t cause, uintptr_t pc, uintptr_t address, uintptr_t sp)
{
    if (sp < (uintptr_t)core_stack_low)
        core_fault("stack-collision", pc, sp);
    core_fault(cause == CAUSE_ILLEGAL_INSTRUCTION ? "invalid-opcode"
               : cause == CAUSE_UNALIGNED         ? "unaligned-access"
                                                  : "invalid-access",
               pc, address);
}

/* ---- Start --------------------------------------------------------------------------- */

/* Defined by the linker. */
extern uint32_t core_data_start[], core_data_end[], core_bss_start[], core_bss_end[];
extern const uint32_t core_data_load[];
int main(void);

__attribute__((used, noreturn)) void core_start(void)
{
    const uint32_t *from = core_data_load;
    for (uint32_t *to = core_data_start; to < core_data_end;)
        *to++ = *from++;
    for (uint32_t *to = core_bss_start; to < core_bss_end;)
        *to++ = 0;
    main();
    core_exit(0);
}

/* The exception vectors are at fixed distances from VECBASE: kernel 0x30, user 0x50, double
 * exception 0x70. The emulator starts at the first address of the code, which is VECBASE too. */
__asm__(".section .vectors, \"ax\"\n\t"
        ".balign 256\n"
        "core_vectors:\n\t"
        ".global core_reset\n"
        "core_reset:\n\t"
        "j core_begin\n\t"
        ".org core_vectors + 0x30\n\t"
        "j core_on_fault\n\t"
        ".org core_vectors + 0x50\n\t"
        "j core_on_fault\n\t"
        ".org core_vectors + 0x70\n\t"
        "j core_on_fault\n\t"
        ".org core_vectors + 0x80\n\t"
        ".literal_position\n\t"
        ".balign 4\n"
        "core_on_fault:\n\t"
        "rsr a2, exccause\n\t"
        "rsr a3, epc1\n\t"
        "rsr a4, excvaddr\n\t"
        "mov a5, a1\n\t"
        "movi a1, fault_stack + 512\n\t"
        "movi a0, core_fault_at\n\t"
        "jx a0\n\t"
        ".balign 4\n"
        "core_begin:\n\t"
        "movi a0, core_vectors\n\t"
        "wsr a0, vecbase\n\t"
        "rsync\n\t"
        "movi a0, 0x20\n\t" /* no exception is active; use the user vector */
        "wsr a0, ps\n\t"
        "rsync\n\t"
        "movi a1, core_stack_top\n\t"
        "movi a0, core_start\n\t"
        "jx a0\n\t"
        ".text");
