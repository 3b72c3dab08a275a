/*
 * The same few steps, in each core's own instructions:
 *
 *   loop      a constant, then ten times a subtraction and a branch back: 21
 *             instructions, nine branches taken, one not
 *   calls     a call, a return, a jump: 3
 *   memory    a store, an addition, two consecutive loads: 4
 *   products  one product: 1
 *   page-end  a call, two additions, a store, two consecutive loads, a return: 7. A page of the
 *             emulator ends between the loads, so the emulator splits its translation there.
 */
#include "agent.h"

#if defined(__thumb__)
#define UNIFIED ".syntax unified\n\t" /* not gcc's for ARMv6-M */
#define LOOP UNIFIED "movs r0, #10\n1: subs r0, #1\n\tbne 1b"
#define LOOP_CLOBBERS "r0", "cc"
#define CALLS UNIFIED "bl 1f\n\tb 2f\n1: bx lr\n2:"
#define CALLS_CLOBBERS "lr"
#define MEMORY UNIFIED "str %1, [%0]\n\tadds %1, %1, %1\n\tldr r2, [%0]\n\tldr r3, [%0]"
#define MEMORY_CLOBBERS "r2", "r3", "cc"
#define PRODUCT UNIFIED "muls %0, %1, %0"
#elif defined(__aarch64__)
#define LOOP "mov x9, #10\n1: subs x9, x9, #1\n\tb.ne 1b"
#define LOOP_CLOBBERS "x9", "cc"
#define CALLS "bl 1f\n\tb 2f\n1: ret\n2:"
#define CALLS_CLOBBERS "x30"
#define MEMORY "str %w1, [%0]\n\tadd %w1, %w1, %w1\n\tldr w9, [%0]\n\tldr w10, [%0]"
#define MEMORY_CLOBBERS "x9", "x10"
#define PRODUCT "mul %w0, %w1, %w0"
#elif defined(__riscv)
#define LOOP "li t0, 10\n1: addi t0, t0, -1\n\tbnez t0, 1b"
#define LOOP_CLOBBERS "t0"
#define CALLS "jal ra, 1f\n\tj 2f\n1: ret\n2:"
#define CALLS_CLOBBERS "ra"
#define MEMORY "sw %1, 0(%0)\n\tadd %1, %1, %1\n\tlw t0, 0(%0)\n\tlw t1, 0(%0)"
#define MEMORY_CLOBBERS "t0", "t1"
#define PRODUCT "mul %0, %1, %0"
#elif defined(__XTENSA__)
#define LOOP "movi a8, 10\n1: addi a8, a8, -1\n\tbnez a8, 1b"
#define LOOP_CLOBBERS "a8"
#define CALLS "call0 1f\n\tj 2f\n\t.balign 4\n1: ret\n2:"
#define CALLS_CLOBBERS "a0"
#define MEMORY "s32i %1, %0, 0\n\tadd %1, %1, %1\n\tl32i a8, %0, 0\n\tl32i a9, %0, 0"
#define MEMORY_CLOBBERS "a8", "a9"
#define PRODUCT "mull %0, %1, %0"
#endif

/* The steps before the page's end have PAGE_BYTES bytes. */
#if defined(__thumb__)
#define PAGE_BYTES "8"
#define PAGE_CODE UNIFIED ".thumb_func\n" \
    "page_steps: adds r1, r1, r1\n\tadds r1, r1, r1\n\tstr r1, [r0]\n\tldr r2, [r0]\n\tldr r3, [r0]\n\tbx lr"
#define PAGE_AT "r0"
#define PAGE_VALUE "r1"
#define PAGE_CALL "bl page_steps"
#define PAGE_CLOBBERS "r2", "r3", "lr", "cc"
#elif defined(__aarch64__)
#define PAGE_BYTES "16"
#define PAGE_CODE \
    "page_steps: add w1, w1, w1\n\tadd w1, w1, w1\n\tstr w1, [x0]\n\tldr w2, [x0]\n\tldr w3, [x0]\n\tret"
#define PAGE_AT "x0"
#define PAGE_VALUE "w1"
#define PAGE_CALL "bl page_steps"
#define PAGE_CLOBBERS "x2", "x3", "x30"
#elif defined(__riscv)
#define PAGE_BYTES "8"
#define PAGE_CODE \
    "page_steps: c.add a1, a1\n\tc.add a1, a1\n\tc.sw a1, 0(a0)\n\tc.lw a2, 0(a0)\n\tc.lw a3, 0(a0)\n\tc.jr ra"
#define PAGE_AT "a0"
#define PAGE_VALUE "a1"
#define PAGE_CALL "jal ra, page_steps"
#define PAGE_CLOBBERS "a2", "a3", "ra"
#elif defined(__XTENSA__)
#define PAGE_BYTES "8"
#define PAGE_CODE \
    "page_steps: add.n a3, a3, a3\n\tadd.n a3, a3, a3\n\ts32i.n a3, a2, 0\n\tl32i.n a4, a2, 0\n\tl32i.n a5, a2, 0\n\tret.n"
#define PAGE_AT "a2"
#define PAGE_VALUE "a3"
#define PAGE_CALL "call0 page_steps"
#define PAGE_CLOBBERS "a4", "a5", "a0"
#endif
__asm__(".pushsection .text.page_end, \"ax\"\n\t.balign 4096\n\t.space 4096 - " PAGE_BYTES "\n\t"
        PAGE_CODE "\n\t.popsection");

static uint8_t page_end(struct agent_call *call)
{
    static uint32_t cell;
    register uint32_t *at __asm__(PAGE_AT) = &cell;
    register uint32_t value __asm__(PAGE_VALUE) = 1;
    (void)call;
    __asm__ __volatile__("" : "+r"(at), "+r"(value) : : PAGE_CLOBBERS);
    AGENT_MEASURE(__asm__ __volatile__(PAGE_CALL : "+r"(at), "+r"(value) : : PAGE_CLOBBERS, "memory"));
    return 0;
}

static uint8_t loop(struct agent_call *call)
{
    (void)call;
    AGENT_MEASURE(__asm__ __volatile__(LOOP : : : LOOP_CLOBBERS));
    return 0;
}

static uint8_t calls(struct agent_call *call)
{
    (void)call;
    AGENT_MEASURE(__asm__ __volatile__(CALLS : : : CALLS_CLOBBERS));
    return 0;
}

static uint8_t memory(struct agent_call *call)
{
    (void)call;
    static uint32_t cell;
    uint32_t *at = &cell, value = 1;
    /* Load registers before the mark, and only registers that the steps do not change. */
    __asm__ __volatile__("" : "+r"(at), "+r"(value) : : MEMORY_CLOBBERS);
    AGENT_MEASURE(__asm__ __volatile__(MEMORY : "+r"(at), "+r"(value) : : MEMORY_CLOBBERS, "memory"));
    return 0;
}

static uint8_t products(struct agent_call *call)
{
    (void)call;
    uint32_t a = 3, b = 5;
    __asm__ __volatile__("" : "+r"(a), "+r"(b));
    AGENT_MEASURE(__asm__ __volatile__(PRODUCT : "+r"(a) : "r"(b) : "cc"));
    return 0;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(LOOP, "loop", loop)
    AGENT_OPERATION(CALLS, "calls", calls)
    AGENT_OPERATION(MEMORY, "memory", memory)
    AGENT_OPERATION(PRODUCTS, "products", products)
    AGENT_OPERATION(PAGE_END, "page-end", page_end))
