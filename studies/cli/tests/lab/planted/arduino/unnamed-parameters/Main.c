#include <stdio.h>
#include "Rijndael.h"

int main(void)
{
    unsigned char key[32] = {1}, keys[240], block[16] = {2};
    Expand_Keys(SIZE_256, key, 32, keys);
    Encrypt(SIZE_256, block, 16, keys, block);
    printf("%d\n", block[0]);
    return 0;
}
