/* The part of RadioLib 7 that LinkOverRadioLib uses, as declarations. */
#ifndef RADIOLIB_H
#define RADIOLIB_H

#include <stddef.h>
#include <stdint.h>

#define RADIOLIB_ERR_NONE (0)
#define RADIOLIB_NC (0xFFFFFFFF)
typedef unsigned long RadioLibTime_t;

class Module {
  public:
    Module(uint32_t cs, uint32_t irq, uint32_t rst, uint32_t gpio = RADIOLIB_NC);
};

class PhysicalLayer {
  public:
    virtual int16_t transmit(const uint8_t *bytes, size_t size, uint8_t address = 0);
    virtual int16_t startReceive();
    virtual int16_t readData(uint8_t *bytes, size_t size);
    virtual size_t getPacketLength(bool update = true);
    virtual RadioLibTime_t getTimeOnAir(size_t size);
    virtual void setPacketReceivedAction(void (*function)(void));
};

class SX1276 : public PhysicalLayer {
  public:
    SX1276(Module *module);
    int16_t begin(float frequency, float bandwidth, uint8_t spreading_factor, uint8_t coding_rate,
                  uint8_t sync_word, int8_t power, uint16_t preamble = 8, uint8_t gain = 0);
};

#endif
