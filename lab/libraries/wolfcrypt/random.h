/* The random source that wolfCrypt draws from: the glue's, seeded by the host. */
#ifndef LAB_RANDOM_H
#define LAB_RANDOM_H

#include "glue_random.h"

#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/wolfcrypt/random.h>

int lab_random_block(unsigned char *out, unsigned int size)
{
    glue_random(out, size);
    return 0;
}

#endif
