/*
 * What the glue of every scheme with the names of PQClean has: these names, and the end of the program.
 * PQCLEAN_API is the scheme's header and PQCLEAN_SCHEME the beginning of its names, without which they have
 * none.
 */
#ifndef GLUE_PQCLEAN_H
#define GLUE_PQCLEAN_H

#include <stddef.h>
#include <stdint.h>

#include PQCLEAN_API

#ifdef PQCLEAN_SCHEME
#define JOIN_(scheme, name) scheme##_##name
#define JOIN(scheme, name) JOIN_(scheme, name)
#define PQ(name) JOIN(PQCLEAN_SCHEME, name)
#else
#define PQ(name) name
#endif

#include "program_end.h"

#endif
