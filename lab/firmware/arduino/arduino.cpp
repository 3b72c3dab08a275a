/*
 * The functions behind the lab's Arduino.h: no board, no clock, no entropy. random(), analogRead()
 * and micros() give the same values after every start. The survey reports an IV made from them.
 */
#include "Arduino.h"

HardwareSerial Serial;

static unsigned long calls;
static uint32_t state = 1;

extern "C" {
unsigned long millis(void) { return ++calls; }
unsigned long micros(void) { return 4 * ++calls; }
void delay(unsigned long) {}
void delayMicroseconds(unsigned int) {}
void yield(void) {}
int analogRead(uint8_t) { return 512; }
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
