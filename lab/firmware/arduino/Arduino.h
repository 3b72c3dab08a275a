/*
 * Arduino.h for the lab: the types, macros and Serial that a cryptographic library for Arduino uses.
 * There is no board behind it. Pins read a constant, the clock counts its calls, Serial prints
 * nothing, and random() gives the same numbers after every start, like that of an Arduino without a
 * seed. `arduino = true` in library.toml includes it.
 */
#ifndef SELO_LAB_ARDUINO_H
#define SELO_LAB_ARDUINO_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <avr/pgmspace.h>

typedef uint8_t byte;
typedef bool boolean;
typedef unsigned int word;

#define HIGH 1
#define LOW 0
#define INPUT 0
#define OUTPUT 1
#define A0 14
#define A1 15
#define DEC 10
#define HEX 16
#define OCT 8
#define BIN 2

#define bitRead(value, bit) (((value) >> (bit)) & 1)
#define bitSet(value, bit) ((value) |= (1UL << (bit)))
#define bitClear(value, bit) ((value) &= ~(1UL << (bit)))
#define bitWrite(value, bit, to) ((to) ? bitSet(value, bit) : bitClear(value, bit))
#define lowByte(value) ((uint8_t)((value) & 0xff))
#define highByte(value) ((uint8_t)((value) >> 8))

#ifdef __cplusplus
extern "C" {
#endif

unsigned long millis(void);
unsigned long micros(void);
void delay(unsigned long milliseconds);
void delayMicroseconds(unsigned int microseconds);
void yield(void);
int analogRead(uint8_t pin);
int digitalRead(uint8_t pin);
void digitalWrite(uint8_t pin, uint8_t level);
void pinMode(uint8_t pin, uint8_t mode);

#ifdef __cplusplus
}

long random(long end);
long random(long begin, long end);
void randomSeed(unsigned long seed);

#define F(text) (text)

/* Accepts anything and prints nothing. */
class Print {
public:
    virtual size_t write(uint8_t) { return 1; }
    virtual size_t write(const uint8_t *, size_t size) { return size; }
    template <typename T> size_t print(T) { return 0; }
    template <typename T> size_t print(T, int) { return 0; }
    template <typename T> size_t println(T) { return 0; }
    template <typename T> size_t println(T, int) { return 0; }
    size_t println() { return 0; }
    template <typename... T> int printf(const char *, T...) { return 0; }
};

class Stream : public Print {
public:
    int available() { return 0; }
    int read() { return -1; }
    int peek() { return -1; }
    void flush() {}
};

class HardwareSerial : public Stream {
public:
    void begin(unsigned long) {}
    void end() {}
    operator bool() { return true; }
};

extern HardwareSerial Serial;
#endif

#endif
