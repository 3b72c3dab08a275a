/*
 * A program for the tests of selo-simavr's clock, console pin, watched pins and supply. At the start it
 * raises D4 and prints "Ab" on D7 at 9600 baud. Over the UART it sends the clock's registers 0 to 6,
 * 0Fh, 11h and 12h, the supply in steps of the converter, and the level of D2 as its bit of the port.
 * Then it lowers D4 and sleeps. A received byte sets the clock to 2030-12-31 23:59:58 and starts the
 * same again.
 */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

static void put(uint8_t byte)
{
    while (!(UCSR0A & _BV(UDRE0)))
        ;
    UDR0 = byte;
}

static void say(uint8_t byte)
{
    uint16_t bits = (uint16_t)(byte << 1 | 0x200);
    for (uint8_t i = 0; i < 10; i++, bits >>= 1) {
        if (bits & 1)
            PORTD |= _BV(7);
        else
            PORTD &= (uint8_t)~_BV(7);
        __builtin_avr_delay_cycles(F_CPU / 9600 - 12);
    }
}

static void bus(uint8_t bits)
{
    TWCR = (uint8_t)(_BV(TWINT) | _BV(TWEN) | bits);
    while (!(TWCR & _BV(TWINT)))
        ;
}

static void bus_go(uint8_t byte)
{
    TWDR = byte;
    bus(0);
}

static void stop(void)
{
    TWCR = _BV(TWINT) | _BV(TWEN) | _BV(TWSTO);
    while (TWCR & _BV(TWSTO))
        ;
}

static uint8_t get(uint8_t address)
{
    bus(_BV(TWSTA));
    bus_go(0xD0);
    bus_go(address);
    bus(_BV(TWSTA));
    bus_go(0xD1);
    bus(0);
    uint8_t value = TWDR;
    stop();
    return value;
}

static void set(void)
{
    static const uint8_t time[] = {0x58, 0x59, 0x23, 2, 0x31, 0x12, 0x30};
    bus(_BV(TWSTA));
    bus_go(0xD0);
    bus_go(0);
    for (uint8_t i = 0; i < sizeof time; i++)
        bus_go(time[i]);
    stop();
    bus(_BV(TWSTA));
    bus_go(0xD0);
    bus_go(0x0F);
    bus_go(0);
    stop();
}

static void report(void)
{
    static const uint8_t registers[] = {0, 1, 2, 3, 4, 5, 6, 0x0F, 0x11, 0x12};
    PORTD |= _BV(4);
    say('A');
    say('b');
    for (uint8_t i = 0; i < sizeof registers; i++)
        put(get(registers[i]));
    ADMUX = _BV(REFS0) | 14;
    ADCSRA = _BV(ADEN) | _BV(ADSC) | 7;
    while (ADCSRA & _BV(ADSC))
        ;
    put(ADCL);
    put(ADCH);
    put(PIND & _BV(PIND2));
    PORTD &= (uint8_t)~_BV(4);
}

ISR(USART_RX_vect)
{
    (void)UDR0;
    set();
    report();
}

int main(void)
{
    UBRR0 = 16;
    UCSR0A = _BV(U2X0);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
    PORTD = _BV(7);
    DDRD = _BV(4) | _BV(7);
    TWBR = 72;
    report();
    set_sleep_mode(SLEEP_MODE_IDLE);
    sleep_enable();
    sei();
    for (;;)
        sleep_cpu();
}
