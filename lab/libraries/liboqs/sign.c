/* liboqs's signature schemes in the lab. */
#include "glue_message.h"

void OQS_randombytes(uint8_t *out, size_t size);
void OQS_randombytes(uint8_t *out, size_t size)
{
    glue_drawn(out, size);
}

#include "glue_pqclean_sign.h"
