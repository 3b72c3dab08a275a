/* What the glue of every scheme of PQClean has: the scheme's names, and the end of the program. */
#ifndef PQCLEAN_SCHEME_H
#define PQCLEAN_SCHEME_H

#include <stddef.h>
#include <stdint.h>

#include PQCLEAN_API

#define JOIN_(prefix, suffix) prefix##suffix
#define JOIN(prefix, suffix) JOIN_(prefix, suffix)
#define PQ(suffix) JOIN(PQCLEAN_SCHEME, suffix)

/* The library's source of random bytes, which its user provides. */
int PQCLEAN_randombytes(uint8_t *out, size_t size);

/* The library ends the program if it has no memory, and some C libraries leave that to the program. */
#if defined(__riscv) || defined(__XTENSA__)
void _exit(int code);
void __attribute__((weak)) _exit(int code)
{
    (void)code;
    for (;;)
        ;
}
#endif

#endif
