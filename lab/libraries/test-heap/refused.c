/* A correct X25519 that needs 4,000 bytes of the heap, more than an Uno has, and says so. */
#include "selo.h"

#include <stdlib.h>

enum { PUBLIC_BYTES = 32, SCRATCH = 4000 };

static int lib_keygen(uint8_t *public_key, const uint8_t *secret)
{
    void *scratch = malloc(SCRATCH);
    if (!scratch)
        return 1;
    selo_x25519_keygen(public_key, secret);
    free(scratch);
    return 0;
}

static int lib_shared(uint8_t *shared, const uint8_t *secret, const uint8_t *peer)
{
    void *scratch = malloc(SCRATCH);
    if (!scratch)
        return 1;
    const int failed = selo_x25519_shared_secret(shared, secret, peer) != SELO_OK;
    free(scratch);
    return failed;
}

#include "glue_dh.h"
