/* The variables of suit.py, which calls the functions for SUIT manifests. The linker keeps what it is told to. */
#include "selo_suit.h"

uint8_t envelope[330], public_key[64];
struct selo_suit_manifest manifest;

int main(void)
{
    return 0;
}
