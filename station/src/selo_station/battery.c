/*
 * The converter measures the chip's own reference against its supply [ATMEGA328P, 24]. The
 * reference is 1.0 to 1.2 V and differs from chip to chip. Measure the supply once, and set
 * selo_battery_bandgap = 1100 * measured / reported.
 */
#include "chip.h"

#if SELO_STATION

#include "battery.h"

enum {
    AGAINST_SUPPLY = 1 << 6,
    BANDGAP = 14,
    CONVERSIONS = 12, /* of 0.1 ms; the reference takes a millisecond to settle */
    STEPS = 1024
};

uint16_t selo_battery_millivolts(void)
{
    uint16_t steps = 0;
    ADMUX = AGAINST_SUPPLY | BANDGAP;
    for (uint8_t i = 0; i < CONVERSIONS; i++) {
        ADCSRA = _BV(ADEN) | _BV(ADSC) | _BV(ADPS2) | _BV(ADPS1) | _BV(ADPS0);
        while (ADCSRA & _BV(ADSC))
            ;
        steps = ADC;
    }
    ADCSRA = 0; /* the converter draws current while it is on */
    return steps == 0 ? 0 : (uint16_t)(selo_battery_bandgap * (uint32_t)STEPS / steps);
}

#endif
