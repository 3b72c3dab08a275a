/* The state of an encapsulation in pieces, for mlkem.py, which calls the functions one by one. */
#include "selo_mlkem.h"

struct selo_mlkem_encapsulation encapsulation_state;

int main(void)
{
    return 0;
}
