/* Print: accepts anything and prints nothing, except through a class that defines write(). */
#ifndef SELO_LAB_PRINT_H
#define SELO_LAB_PRINT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "Printable.h"
#include "WString.h"

class Print {
public:
    virtual size_t write(uint8_t) = 0;
    virtual size_t write(const uint8_t *bytes, size_t size)
    {
        size_t written = 0;
        while (size-- != 0)
            written += write(*bytes++);
        return written;
    }
    virtual void flush() {}
    virtual int availableForWrite() { return 0; }
    size_t write(const char *text) { return write(text, strlen(text)); }
    size_t write(const char *text, size_t size) { return write((const uint8_t *)text, size); }
    int getWriteError() { return 0; }
    void clearWriteError() {}

    size_t print(const String &text) { return write(text.c_str(), text.length()); }
    size_t print(const char *text) { return write(text); }
    size_t print(const __FlashStringHelper *text) { return print(String(text)); }
    size_t print(char letter) { return write((uint8_t)letter); }
    size_t print(const Printable &value) { return value.printTo(*this); }
    size_t print(unsigned char value, int base = 10) { return print(String(value, base)); }
    size_t print(int value, int base = 10) { return print(String(value, base)); }
    size_t print(unsigned int value, int base = 10) { return print(String(value, base)); }
    size_t print(long value, int base = 10) { return print(String(value, base)); }
    size_t print(unsigned long value, int base = 10) { return print(String(value, base)); }
    size_t print(double value, int places = 2) { return print(String(value, places)); }
    size_t println() { return write("\r\n"); }
    template <typename T> size_t println(const T &value) { return print(value) + println(); }
    template <typename T> size_t println(const T &value, int base)
    {
        return print(value, base) + println();
    }
    template <typename... T> int printf(const char *, T...) { return 0; }
};

#endif
