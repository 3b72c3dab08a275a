/* The linker keeps the constructor and its table, although the functions use neither. */
#include "plain.c"

volatile uint8_t kept_table[64];

__attribute__((constructor)) static void fill(void)
{
    uint8_t value = 1;
    for (uint8_t i = 0; i < sizeof kept_table; i++) {
        kept_table[i] = value;
        value = (uint8_t)((value << 1) ^ (value & 0x80 ? 0x1b : 0));
    }
}
