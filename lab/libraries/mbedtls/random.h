/* The random source of Mbed TLS: that of the glue, seeded by the host. */
#ifndef LAB_RANDOM_H
#define LAB_RANDOM_H

#include "glue_random.h"

static int lab_random(void *unused, unsigned char *out, size_t size)
{
    (void)unused;
    glue_random(out, size);
    return 0;
}

#endif
