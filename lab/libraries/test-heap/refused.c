/* A correct X25519 that needs 4,000 bytes of the heap, more than an Uno has. It says so or, in the
 * variant ends, ends the program. The variant deep gets its 800 bytes, and its stack then reaches
 * into them. */
#include "selo.h"

#include <stdlib.h>

#ifndef SCRATCH_BYTES
#define SCRATCH_BYTES 4000
#endif
#ifndef STACK_BYTES
#define STACK_BYTES 1
#endif

enum { PUBLIC_BYTES = 32, SCRATCH = SCRATCH_BYTES };

__attribute__((noinline)) static void reach_down(void)
{
    volatile uint8_t deep[STACK_BYTES];
    for (uint16_t i = 0; i < STACK_BYTES; i++)
        deep[i] = 0;
}

#ifdef ENDS
#define REFUSED exit(1)
#else
#define REFUSED return 1
#endif

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    void *scratch = malloc(SCRATCH);
    if (!scratch)
        REFUSED;
    reach_down();
    selo_x25519_keygen(public_key, secret);
    free(scratch);
    return 0;
}

static int lib_shared(uint8_t *shared, const uint8_t *secret, const uint8_t *peer)
{
    void *scratch = malloc(SCRATCH);
    if (!scratch)
        REFUSED;
    const int failed = selo_x25519_shared_secret(shared, secret, peer) != SELO_OK;
    free(scratch);
    return failed;
}

#include "glue_dh.h"
