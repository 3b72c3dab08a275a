/* The variables of p256.py, which calls P-256's functions one by one. The linker keeps what it is told to. */
#include "selo_p256.h"

uint8_t public_key[64], signature[64], secret[32], message[64], shared[32];

int main(void)
{
    return 0;
}
