/*
 * The two-wire bus at 100 kHz [ATMEGA328P, 22], and the registers of the DS3231
 * [DS3231, Register Map]. A bus that does not answer within a millisecond is given up.
 */
#include "chip.h"

#if SELO_STATION

#include "ds3231.h"
#include "calendar.h"

#define BUS_HZ 100000UL

enum {
    ADDRESS = 0x68 << 1,
    READ = 1,
    STATUS = 0x0F,
    OSCILLATOR_STOPPED = 0x80,
    TEMPERATURE = 0x11,
    REGISTERS = 0x13,
    PATIENCE = 2000, /* polls of the bus, about eight cycles each */
    /* The failure codes of the bus [ATMEGA328P, tables 22-2 and 22-3]. The success code differs
     * from step to step, and simavr 1.6 does not report it correctly. */
    BUS_ERROR = 0x00,
    ADDRESS_REFUSED = 0x20,
    BYTE_REFUSED = 0x30,
    LOST = 0x38,
    READ_REFUSED = 0x48
};

void selo_ds3231_begin(void)
{
    PORTC |= _BV(PORTC4) | _BV(PORTC5); /* pull-ups, in case the module is absent */
    TWSR = 0;
    TWBR = (F_CPU / BUS_HZ - 16) / 2;
}

/* Makes the bus do the step that the bits request. Returns 1 on success. */
static uint8_t bus(uint8_t bits)
{
    TWCR = (uint8_t)(_BV(TWINT) | _BV(TWEN) | bits);
    for (uint16_t looks = 0; looks < PATIENCE; looks++)
        if (TWCR & _BV(TWINT))
            switch (TWSR & 0xF8) {
            case BUS_ERROR:
            case ADDRESS_REFUSED:
            case BYTE_REFUSED:
            case LOST:
            case READ_REFUSED:
                return 0;
            default:
                return 1;
            }
    return 0;
}

static uint8_t put(uint8_t byte)
{
    TWDR = byte;
    return bus(0);
}

static uint8_t go_to(uint8_t address)
{
    return bus(_BV(TWSTA)) && put(ADDRESS) && put(address);
}

/* Also releases a bus that hangs. */
static void stop(void)
{
    TWCR = _BV(TWINT) | _BV(TWEN) | _BV(TWSTO);
    for (uint16_t looks = 0; looks < PATIENCE && TWCR & _BV(TWSTO); looks++)
        ;
    TWCR = 0;
}

static uint8_t read_registers(uint8_t registers[REGISTERS])
{
    if (!go_to(0) || !bus(_BV(TWSTA)) || !put(ADDRESS | READ))
        return 0;
    for (uint8_t i = 0; i < REGISTERS; i++) {
        uint8_t last = i == REGISTERS - 1;
        if (!bus(last ? 0 : _BV(TWEA)))
            return 0;
        registers[i] = TWDR;
    }
    return 1;
}

uint8_t selo_ds3231_read(struct selo_ds3231 *clock)
{
    uint8_t registers[REGISTERS], there = read_registers(registers);
    stop();
    if (!there)
        return 0;
    clock->seconds = registers[STATUS] & OSCILLATOR_STOPPED ? 0 : selo_calendar_seconds(registers);
    clock->stopped = clock->seconds == 0;
    clock->centidegrees
        = selo_calendar_centidegrees(registers[TEMPERATURE], registers[TEMPERATURE + 1]);
    return 1;
}

uint8_t selo_ds3231_set(uint32_t seconds)
{
    uint8_t registers[SELO_CALENDAR_BYTES];
    if (!selo_calendar_registers(registers, seconds))
        return 0;
    uint8_t done = go_to(0);
    for (uint8_t i = 0; done && i < SELO_CALENDAR_BYTES; i++)
        done = put(registers[i]);
    stop();
    /* Write the time before marking it as valid. */
    done = done && go_to(STATUS) && put(0);
    stop();
    return done;
}

#endif
