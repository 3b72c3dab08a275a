/*
 * A correct AES-128 whose key is on the heap and stays there. Encryption takes 40 bytes more for a
 * moment, as 30 that grow, or 70,000 in the variant large; decryption takes none. In the variant keeps
 * every set-up takes new memory, none is given back, and where there is no more the program ends.
 */
#include "selo.h"

#include <stdlib.h>
#include <string.h>

#ifndef IN_THE_END
#define IN_THE_END 40
#endif
#ifndef KEEPS
#define KEEPS 0
#endif

enum { BLOCK = 16, AT_FIRST = 30 };

static struct selo_aes128_fast *key;

static void lib_set_up_encrypt(const uint8_t *raw)
{
    if (!key || KEEPS)
        key = malloc(sizeof *key);
    if (!key && KEEPS)
        exit(1);
    if (key)
        selo_aes128_fast_setup(key, raw);
}

static void lib_encrypt(uint8_t *out, const uint8_t *in)
{
    uint8_t *scratch = calloc(AT_FIRST / 3, 3);
    uint8_t *larger = realloc(scratch, IN_THE_END);
    if (!larger) {
        free(scratch);
        return;
    }
    memcpy(larger, in, BLOCK);
    selo_aes128_fast_encrypt(key, larger, larger);
    memcpy(out, larger, BLOCK);
    free(larger);
}

static void lib_decrypt(uint8_t *out, const uint8_t *in) { selo_aes128_fast_decrypt(key, out, in); }

#define GLUE_ONE_SCHEDULE 1
#include "glue_block.h"
