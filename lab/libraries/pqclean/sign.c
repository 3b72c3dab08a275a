/* PQClean's signature schemes in the lab. */
#include "glue_message.h"

int PQCLEAN_randombytes(uint8_t *out, size_t size);
int PQCLEAN_randombytes(uint8_t *out, size_t size)
{
    glue_drawn(out, size);
    return 0;
}

#include "glue_pqclean_sign.h"
