/*
 * Wipes the stack below the caller, where the functions of P-256 kept products and registers. C knows
 * no stack and promises nothing; with the compilers in use a function of its own has its frame where theirs
 * were.
 */
#include "p256.h"

enum { SCRATCH = 208 };

SELO_STACK_APART void selo_p256_wipe_scratch(void)
{
    uint8_t scratch[SCRATCH];
    selo_wipe(scratch, sizeof scratch);
}
