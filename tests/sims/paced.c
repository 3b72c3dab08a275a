/*
 * A program for the tests of the paced runner. The Uno sleeps between the ticks of a timer and bytes
 * from the host. Each byte is a command, some with arguments:
 *
 *   e ADDRESS VALUE   programs a byte of the EEPROM, waits for it, answers E
 *   w ADDRESS VALUE   starts the same, and answers W at once
 *   r ADDRESS         answers the byte
 *   c N               computes N times 16,000 cycles between marks, answers the
 *                     number of bytes that arrived meanwhile
 *   d                 uses 300 bytes of stack, answers D
 *   h                 uses more stack than there is RAM: a stack collision
 *   p                 writes another pin of port B, answers pin 0
 *   t                 answers the ticks since reset: two bytes, low one first
 *   s                 stores the stack pointer in halves, again and again
 *   l                 turns the interrupt by a low level of INT0 on, answers l. The third
 *                     interrupt turns it off and answers L
 *   q                 stops the timer: only a byte or a pin wakes the chip
 *   any other byte    is echoed
 */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <util/delay_basic.h>

static volatile uint8_t queue[256], queue_in;
static uint8_t queue_out;
static volatile uint16_t ticks;

ISR(USART_RX_vect) { queue[queue_in++] = UDR0; }
ISR(TIMER0_COMPA_vect) { ticks++; }
static volatile uint8_t lows;
ISR(INT0_vect)
{
    if (++lows == 3) {
        EIMSK = 0;
        lows = 0;
        UDR0 = 'L';
    }
}
ISR(PCINT0_vect) { queue[queue_in++] = 'p'; }

static void put(uint8_t byte)
{
    while (!(UCSR0A & _BV(UDRE0)))
        ;
    UDR0 = byte;
}

static uint8_t get(void)
{
    for (;;) {
        cli();
        if (queue_in != queue_out)
            break;
        sei();
        sleep_cpu();
        __asm__ __volatile__("nop\n\tnop\n\tnop"); /* simavr needs them */
    }
    sei();
    return queue[queue_out++];
}

static __attribute__((noinline)) void deep(uint16_t bytes)
{
    volatile uint8_t frame[bytes];
    frame[0] = 0;
    (void)frame[0];
}

static void start_programming(uint8_t address, uint8_t value)
{
    eeprom_busy_wait();
    EEAR = address;
    EEDR = value;
    cli();
    EECR |= _BV(EEMPE);
    EECR |= _BV(EEPE);
    sei();
}

static void compute(uint8_t times)
{
    GPIOR0 = 1;
    while (times-- != 0)
        _delay_loop_2(4000);
    GPIOR0 = 2;
}

static void obey(uint8_t command)
{
    uint8_t address, ddr = DDRB;
    switch (command) {
    case 'e':
    case 'w':
        address = get();
        start_programming(address, get());
        if (command == 'e')
            eeprom_busy_wait();
        put(command == 'e' ? 'E' : 'W');
        break;
    case 'r':
        put(eeprom_read_byte((const uint8_t *)(uintptr_t)get()));
        break;
    case 'c':
        compute(get());
        put((uint8_t)(queue_in - queue_out));
        break;
    case 'd':
        deep(300);
        put('D');
        break;
    case 'h':
        deep(3000);
        break;
    case 's': /* like the epilogue of a function with a frame */
        for (;;)
            __asm__ __volatile__("in r0, 0x3f\n\tin r24, 0x3d\n\tin r25, 0x3e\n\tcli\n\t"
                                 "out 0x3e, r25\n\tout 0x3f, r0\n\tout 0x3d, r24" ::: "r0", "r24", "r25");
    case 'p':
        DDRB = ddr | _BV(5);
        PORTB ^= _BV(5);
        put(PINB & 1);
        break;
    case 't':
        cli();
        address = (uint8_t)ticks;
        command = (uint8_t)(ticks >> 8);
        sei();
        put(address);
        put(command);
        break;
    case 'l':
        put('l');
        EIMSK = _BV(INT0);
        break;
    case 'q':
        TCCR0B = 0;
        break;
    default:
        put(command);
    }
}

int main(void)
{
    UBRR0 = 16; /* 115,200 baud at 16 MHz */
    UCSR0A = _BV(U2X0);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
    PORTB = _BV(0); /* an input with its pull-up, as for a button */
    PCMSK0 = _BV(0);
    PCICR = _BV(PCIE0);
    TCCR0A = _BV(WGM01);
    OCR0A = 249; /* a tick is 16,000 cycles, a millisecond */
    TIMSK0 = _BV(OCIE0A);
    TCCR0B = _BV(CS01) | _BV(CS00);
    set_sleep_mode(SLEEP_MODE_IDLE);
    sleep_enable();
    for (;;)
        obey(get());
}
