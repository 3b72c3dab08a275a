/* A serial port without a wire: it takes what is printed, and nothing comes from it. */
#ifndef SELO_LAB_HARDWARE_SERIAL_H
#define SELO_LAB_HARDWARE_SERIAL_H

#include "Stream.h"

#define SERIAL_8N1 0x06

class HardwareSerial : public Stream {
public:
    void begin(unsigned long) {}
    void begin(unsigned long, uint8_t) {}
    void end() {}
    int available() override { return 0; }
    int read() override { return -1; }
    int peek() override { return -1; }
    size_t write(uint8_t) override { return 1; }
    using Print::write;
    operator bool() { return true; }
};

extern HardwareSerial Serial;

#endif
