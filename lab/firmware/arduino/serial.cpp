/*
 * Serial, with the lab's Arduino.h and with a real core's. The wire belongs to the agent, so
 * nothing is printed and nothing comes.
 */
#include <Arduino.h>

#ifndef SELO_LAB_HARDWARE_SERIAL_H
#include "HardwareSerial_private.h"

void HardwareSerial::begin(unsigned long, byte) {}
void HardwareSerial::end() {}
int HardwareSerial::available() { return 0; }
int HardwareSerial::peek() { return -1; }
int HardwareSerial::read() { return -1; }
int HardwareSerial::availableForWrite() { return 0; }
void HardwareSerial::flush() {}
size_t HardwareSerial::write(uint8_t) { return 1; }

HardwareSerial Serial(&UBRR0H, &UBRR0L, &UCSR0A, &UCSR0B, &UCSR0C, &UDR0);
#else
HardwareSerial Serial;
#endif
