/* The chip's EEPROM on AVR; elsewhere 1,024 bytes, erased at every start. */
#ifndef SELO_LAB_EEPROM_H
#define SELO_LAB_EEPROM_H

#include <stddef.h>
#include <stdint.h>

uint8_t eeprom_get(int at);
void eeprom_put(int at, uint8_t value);

struct EERef {
    int at;
    operator uint8_t() const { return eeprom_get(at); }
    EERef &operator=(uint8_t value)
    {
        eeprom_put(at, value);
        return *this;
    }
    EERef &operator=(const EERef &other) { return *this = (uint8_t)other; }
};

struct EEPROMClass {
    void begin(size_t = 0) {}
    bool commit() { return true; }
    void end() {}
    uint8_t read(int at) { return eeprom_get(at); }
    void write(int at, uint8_t value) { eeprom_put(at, value); }
    void update(int at, uint8_t value) { eeprom_put(at, value); }
    EERef operator[](int at) { return EERef{at}; }
    uint16_t length() { return 1024; }
    template <typename T> T &get(int at, T &value)
    {
        for (size_t i = 0; i < sizeof value; i++)
            ((uint8_t *)&value)[i] = read(at + (int)i);
        return value;
    }
    template <typename T> const T &put(int at, const T &value)
    {
        for (size_t i = 0; i < sizeof value; i++)
            write(at + (int)i, ((const uint8_t *)&value)[i]);
        return value;
    }
};

static EEPROMClass EEPROM __attribute__((unused));

#endif
