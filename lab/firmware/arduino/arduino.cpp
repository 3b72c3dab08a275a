/*
 * The functions behind the lab's Arduino.h that a core without a board lacks too. random() gives
 * the same values after every start. The survey reports an IV made from it.
 */
#include "Arduino.h"

static uint32_t state = 1;

extern "C" {
void yield(void) {}
int digitalRead(uint8_t) { return LOW; }
void digitalWrite(uint8_t, uint8_t) {}
void pinMode(uint8_t, uint8_t) {}
}

void randomSeed(unsigned long seed)
{
    if (seed != 0)
        state = (uint32_t)seed;
}

long random(long end)
{
    state = state * 1103515245UL + 12345UL;
    return end == 0 ? 0 : (long)((state >> 8 & 0x7fffffUL) % (unsigned long)end);
}

long random(long begin, long end) { return begin >= end ? begin : begin + random(end - begin); }

long map(long value, long from_low, long from_high, long to_low, long to_high)
{
    return (value - from_low) * (to_high - to_low) / (from_high - from_low) + to_low;
}

uint16_t makeWord(uint16_t value) { return value; }

uint16_t makeWord(uint8_t high, uint8_t low) { return (uint16_t)(high << 8 | low); }
