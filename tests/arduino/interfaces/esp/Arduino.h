/*
 * The part of the Arduino core that src/selo_arduino.hpp and the examples use, as declarations. The cores
 * of ESP32 and ESP8266 are not packages of Debian; with these headers a compiler at least checks the
 * types of every call. Nothing here can run.
 */
#ifndef ARDUINO_H
#define ARDUINO_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HEX 16
#define IRAM_ATTR
class __FlashStringHelper;
#define F(text) (reinterpret_cast<const __FlashStringHelper *>(text))

uint32_t millis();
void delay(uint32_t milliseconds);
void yield(void);

class Print {
  public:
    virtual size_t write(uint8_t byte) = 0;
    virtual size_t write(const uint8_t *bytes, size_t size);
    size_t print(const __FlashStringHelper *text);
    size_t print(const char *text);
    size_t print(char character);
    size_t print(int number, int base = 10);
    size_t print(unsigned int number, int base = 10);
    size_t print(unsigned long number, int base = 10);
    size_t print(double number, int digits = 2);
    size_t println();
    size_t println(const __FlashStringHelper *text);
    size_t println(const char *text);
    size_t println(int number, int base = 10);
    size_t println(unsigned int number, int base = 10);
    size_t println(unsigned long number, int base = 10);
    size_t println(double number, int digits = 2);
};

class Stream : public Print {
  public:
    virtual int available() = 0;
    virtual int read() = 0;
    virtual int peek() = 0;
};

class HardwareSerial : public Stream {
  public:
    void begin(unsigned long baud);
    size_t write(uint8_t byte) override;
    int available() override;
    int read() override;
    int peek() override;
};
extern HardwareSerial Serial;

class IPAddress {
  public:
    IPAddress(uint8_t first, uint8_t second, uint8_t third, uint8_t fourth);
};

class UDP : public Stream {
  public:
    virtual uint8_t begin(uint16_t port) = 0;
    virtual int beginPacket(IPAddress address, uint16_t port) = 0;
    virtual int beginPacket(const char *host, uint16_t port) = 0;
    virtual int endPacket() = 0;
    virtual size_t write(uint8_t byte) = 0;
    virtual size_t write(const uint8_t *bytes, size_t size) = 0;
    virtual int parsePacket() = 0;
    virtual int read() = 0;
    virtual int read(unsigned char *bytes, size_t size) = 0;
    virtual int read(char *bytes, size_t size) = 0;
};

#if defined(ESP8266)
class EspClass {
  public:
    uint32_t random() const;
};
extern EspClass ESP;
#endif

#endif
