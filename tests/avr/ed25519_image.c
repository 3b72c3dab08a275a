/* The variables of ed25519.py, which calls Ed25519's functions one by one. */
#include "selo_ed25519.h"

struct selo_ed25519_key key;
uint8_t signature[64], seed[32], message[64];

int main(void)
{
    return 0;
}
