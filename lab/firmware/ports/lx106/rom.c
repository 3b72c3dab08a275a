/*
 * Functions that Debian's libgcc for the LX106 omits because the ESP8266 has them in its ROM:
 * products of two words and divisions. A span counts the instructions of these versions; the ROM's
 * versions have others.
 */
#include <stdint.h>

uint64_t __umulsidi3(uint32_t a, uint32_t b);
uint64_t __muldi3(uint64_t a, uint64_t b);
uint32_t __udivsi3(uint32_t a, uint32_t b);
uint32_t __umodsi3(uint32_t a, uint32_t b);
int32_t __divsi3(int32_t a, int32_t b);
uint64_t __udivmoddi4(uint64_t a, uint64_t b, uint64_t *rest); /* from libgcc */
uint64_t __udivdi3(uint64_t a, uint64_t b);
uint64_t __umoddi3(uint64_t a, uint64_t b);
int64_t __divdi3(int64_t a, int64_t b);

/* Multiplies halves: the core has no instruction for the upper word of a product. */
uint64_t __umulsidi3(uint32_t a, uint32_t b)
{
    uint32_t low = (a & 0xFFFF) * (b & 0xFFFF);
    uint32_t first = (a >> 16) * (b & 0xFFFF) + (low >> 16);
    uint32_t second = (a & 0xFFFF) * (b >> 16) + (first & 0xFFFF);
    uint32_t high = (a >> 16) * (b >> 16) + (first >> 16) + (second >> 16);
    return (uint64_t)high << 32 | second << 16 | (low & 0xFFFF);
}

uint64_t __muldi3(uint64_t a, uint64_t b)
{
    uint32_t cross = (uint32_t)(a >> 32) * (uint32_t)b + (uint32_t)a * (uint32_t)(b >> 32);
    return __umulsidi3((uint32_t)a, (uint32_t)b) + ((uint64_t)cross << 32);
}

static uint32_t divide(uint32_t a, uint32_t b, uint32_t *rest)
{
    uint32_t quotient = 0, left = 0;
    for (int bit = 31; bit >= 0; bit--) {
        uint32_t carry = left >> 31;
        left = left << 1 | (a >> bit & 1);
        if (carry || left >= b) {
            left -= b;
            quotient |= (uint32_t)1 << bit;
        }
    }
    *rest = left;
    return quotient;
}

uint32_t __udivsi3(uint32_t a, uint32_t b)
{
    uint32_t rest;
    return divide(a, b, &rest);
}

uint32_t __umodsi3(uint32_t a, uint32_t b)
{
    uint32_t rest;
    divide(a, b, &rest);
    return rest;
}

int32_t __divsi3(int32_t a, int32_t b)
{
    uint32_t quotient = __udivsi3(a < 0 ? -(uint32_t)a : (uint32_t)a, b < 0 ? -(uint32_t)b : (uint32_t)b);
    return (int32_t)((a < 0) == (b < 0) ? quotient : -quotient);
}

uint64_t __udivdi3(uint64_t a, uint64_t b)
{
    return __udivmoddi4(a, b, 0);
}

uint64_t __umoddi3(uint64_t a, uint64_t b)
{
    uint64_t rest;
    __udivmoddi4(a, b, &rest);
    return rest;
}

int64_t __divdi3(int64_t a, int64_t b)
{
    uint64_t quotient = __udivdi3(a < 0 ? -(uint64_t)a : (uint64_t)a, b < 0 ? -(uint64_t)b : (uint64_t)b);
    return (int64_t)((a < 0) == (b < 0) ? quotient : -quotient);
}
