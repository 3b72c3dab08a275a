/*
 * A correct Speck128/128 whose decryption needs 4,000 bytes of the heap, more than an Uno has, and ends
 * the program without them. The manifest lists the vector that decrypts as a deviation, so only the
 * timing decrypts.
 */
#include "selo_speck.h"

#include <stdlib.h>

enum { SCRATCH = 4000 };

static struct selo_speck128_fast key;

static void lib_set_up_encrypt(const uint8_t *raw) { selo_speck128_fast_setup(&key, raw); }

static void lib_encrypt(uint8_t *out, const uint8_t *in) { selo_speck128_fast_encrypt(&key, out, in); }

static void lib_decrypt(uint8_t *out, const uint8_t *in)
{
    void *scratch = malloc(SCRATCH);
    if (!scratch)
        exit(1);
    selo_speck128_fast_decrypt(&key, out, in);
    free(scratch);
}

#define GLUE_ONE_SCHEDULE 1
#include "glue_block.h"
