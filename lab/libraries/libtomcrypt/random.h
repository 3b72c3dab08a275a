/* The random source of LibTomCrypt and LibTomMath: that of the glue, seeded by the host. */
#ifndef LAB_RANDOM_H
#define LAB_RANDOM_H

#include "glue_random.h"

/* The manifest defines it for the library itself. There it would conflict with tommath.h. */
#undef LTC_SOURCE
#include <tomcrypt.h>
#include <tommath.h>

static prng_state lab_prng;
static int lab_prng_index;

static unsigned long lab_read(unsigned char *out, unsigned long size, prng_state *prng)
{
    (void)prng;
    glue_random(out, size);
    return size;
}

static mp_err lab_source(void *out, size_t size)
{
    glue_random(out, size);
    return MP_OKAY;
}

static const struct ltc_prng_descriptor lab_descriptor = {.name = "lab", .read = lab_read};

/* The work that a program does once: select the number library and the random source. */
static void lab_begin(void)
{
    ltc_mp = ltm_desc;
    mp_rand_source(lab_source);
    lab_prng_index = register_prng(&lab_descriptor);
}
#define GLUE_BEGIN() lab_begin()

#endif
