/*
 * Wipes the stack below the caller, where the functions of P-256 kept products and registers. C knows
 * no stack and promises nothing; with the compilers in use a function of its own has its frame where theirs
 * were. So it is called where they were called: further up, the frames between would be wiped instead.
 */
#include "p256.h"

/* Words of 32 bits keep more on the stack than AVR's kernels, and compilers for 64 bits much more. */
enum { SCRATCH = SELO_BYTEWISE ? 208 : SELO_WIDE ? 1536 : 384 };

SELO_STACK_APART void selo_p256_wipe_scratch(void)
{
    uint8_t scratch[SCRATCH];
    selo_wipe(scratch, sizeof scratch);
}
