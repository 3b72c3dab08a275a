/*
 * Wipes the stack below the caller, where the functions of P-256 kept products and registers. C knows
 * no stack and promises nothing; with the compilers in use a function of its own has its frame where theirs
 * were. SCRATCH covers the deepest of them, an inversion's multiplication: 208 bytes on AVR, 336 on a
 * Cortex-M0.
 */
#include "p256.h"

enum { SCRATCH = SELO_BACKEND_AVR ? 208 : 384 };

SELO_STACK_APART void selo_p256_wipe_scratch(void)
{
    uint8_t scratch[SCRATCH];
    selo_wipe(scratch, sizeof scratch);
}
