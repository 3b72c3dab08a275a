/*
 * Arduino.h for the lab: what a cryptographic library expects of an Arduino core. On AVR the real
 * core's headers replace this file, where the core is installed (lab/engine/src/build/arduino.rs).
 * There is no board behind it: pins read a constant, the clock counts its calls, Serial prints
 * nothing, and random() gives the same numbers after every start, like that of an Arduino without a
 * seed. `arduino = true` in library.toml includes it.
 */
#ifndef SELO_LAB_ARDUINO_H
#define SELO_LAB_ARDUINO_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <avr/interrupt.h>
#include <avr/pgmspace.h>

typedef uint8_t byte;
typedef bool boolean;
typedef unsigned int word;

#define HIGH 1
#define LOW 0
#define INPUT 0
#define OUTPUT 1
#define INPUT_PULLUP 2
#define CHANGE 1
#define FALLING 2
#define RISING 3
#define LED_BUILTIN 13
#define LSBFIRST 0
#define MSBFIRST 1
#define DEFAULT 1
#define EXTERNAL 0
#define INTERNAL 3
#define DEC 10
#define HEX 16
#define OCT 8
#define BIN 2
#define PI 3.1415926535897932384626433832795

static const uint8_t A0 = 14, A1 = 15, A2 = 16, A3 = 17, A4 = 18, A5 = 19;

#define bitRead(value, bit) (((value) >> (bit)) & 0x01)
#define bitSet(value, bit) ((value) |= (1UL << (bit)))
#define bitClear(value, bit) ((value) &= ~(1UL << (bit)))
#define bitToggle(value, bit) ((value) ^= (1UL << (bit)))
#define bitWrite(value, bit, to) ((to) ? bitSet(value, bit) : bitClear(value, bit))
#define bit(number) (1UL << (number))
#define lowByte(value) ((uint8_t)((value) & 0xff))
#define highByte(value) ((uint8_t)((value) >> 8))
#define interrupts() sei()
#define noInterrupts() cli()
#define constrain(value, low, high) ((value) < (low) ? (low) : ((value) > (high) ? (high) : (value)))
#define sq(value) ((value) * (value))
#define F_CPU_MHZ (F_CPU / 1000000L)
#define clockCyclesPerMicrosecond() F_CPU_MHZ

#ifdef __cplusplus
extern "C" {
#endif

unsigned long millis(void);
unsigned long micros(void);
void delay(unsigned long milliseconds);
void delayMicroseconds(unsigned int microseconds);
void yield(void);
int analogRead(uint8_t pin);
void analogReference(uint8_t mode);
void analogWrite(uint8_t pin, int value);
int digitalRead(uint8_t pin);
void digitalWrite(uint8_t pin, uint8_t level);
void pinMode(uint8_t pin, uint8_t mode);

#ifdef __cplusplus
}
#endif

#ifdef __cplusplus
#include "HardwareSerial.h"
#include "WString.h"

/* Functions, because the C++ library has names like these. */
template <class A, class B> auto min(A a, B b) -> decltype(a + b) { return a < b ? a : b; }
template <class A, class B> auto max(A a, B b) -> decltype(a + b) { return a > b ? a : b; }

long random(long end);
long random(long begin, long end);
void randomSeed(unsigned long seed);
long map(long value, long from_low, long from_high, long to_low, long to_high);
uint16_t makeWord(uint16_t value);
uint16_t makeWord(uint8_t high, uint8_t low);
#define word(...) makeWord(__VA_ARGS__)
#else
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#endif

#endif
