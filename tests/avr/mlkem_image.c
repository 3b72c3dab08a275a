/* The variables of mlkem.py, which calls ML-KEM's functions one by one. BITS is 512 or 768. */
#include "selo_mlkem.h"

#define NAME_OF(bits, what) selo_mlkem##bits##_##what
#define NAME(bits, what) NAME_OF(bits, what)

#ifdef WHOLE
struct NAME(BITS, public_key) public_key;
struct NAME(BITS, private_key) private_key;
struct NAME(BITS, ciphertext) ciphertext;
uint8_t seed[64], secret[32];
#else
struct NAME(BITS, encapsulation) state;
uint8_t piece[128];
#endif

int main(void)
{
    return 0;
}
