/*
 * The clock and the analogue pins, with the lab's Arduino.h and with a real core's, whose clock needs
 * interrupts. There is no board: the clock counts its calls, and a pin reads a constant. They are the
 * same after every start. The survey reports an IV made from them.
 */
#include <Arduino.h>

static unsigned long calls;

extern "C" {
unsigned long millis(void) { return ++calls; }
unsigned long micros(void) { return 4 * ++calls; }
void delay(unsigned long) {}
void delayMicroseconds(unsigned int) {}
int analogRead(uint8_t) { return 512; }
void analogReference(uint8_t) {}
void analogWrite(uint8_t, int) {}
}
