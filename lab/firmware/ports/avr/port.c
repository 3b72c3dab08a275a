/*
 * AVR port of the agent: UART 0, the span's timer and stack painting, for any AVR with the register
 * names of the ATmega x8 family, such as the ATmega2560.
 *
 * The CPU sleeps in idle mode while it waits for the host. This saves nothing here, but it tells a
 * simulator that the chip waits for input.
 */
#include "agent.h"

#include <avr/interrupt.h>
#include <avr/sleep.h>

/* 115,200 is safe with a real board's USB bridge. A simulator accepts any rate. */
#ifndef PORT_BAUD
#define PORT_BAUD 115200UL
#endif
enum { BAUD_DIVIDER = (F_CPU + 4 * PORT_BAUD) / (8 * PORT_BAUD) - 1 };

#if PORT_TIMER_DIVIDER == 1
#define TIMER_CLOCK _BV(CS10)
#elif PORT_TIMER_DIVIDER == 8
#define TIMER_CLOCK _BV(CS11)
#elif PORT_TIMER_DIVIDER == 64
#define TIMER_CLOCK (_BV(CS11) | _BV(CS10))
#elif PORT_TIMER_DIVIDER == 256
#define TIMER_CLOCK _BV(CS12)
#elif PORT_TIMER_DIVIDER == 1024
#define TIMER_CLOCK (_BV(CS12) | _BV(CS10))
#else
#error "PORT_TIMER_DIVIDER must be 1, 8, 64, 256 or 1024"
#endif

/* ---- UART ----------------------------------------------------------------------
 *
 * Interrupts are enabled only while port_read sleeps, so they do not disturb a span. At other times
 * the receiver itself holds up to three bytes.
 */

/* Room for the bytes that can arrive in one sleep: one interrupt for each instruction from sleep to
 * cli. Both counters run freely. Their difference is the number of bytes held. */
enum { QUEUE = 4 };
static volatile uint8_t queue[QUEUE], queue_in;
static uint8_t queue_out;

#ifndef USART_RX_vect /* chips with several UARTs number them */
#define USART_RX_vect USART0_RX_vect
#endif

ISR(USART_RX_vect)
{
    queue[queue_in % QUEUE] = UDR0;
    queue_in++;
}

uint8_t port_read(void)
{
    while (queue_in == queue_out) {
        /* Bytes that follow closely need neither sleep nor interrupt. */
        if (UCSR0A & _BV(RXC0))
            return UDR0;
        sei(); /* takes effect after the next instruction, so no byte comes in between */
        sleep_cpu();
        /* By the data sheet, a pending interrupt is entered before the instruction after
         * sleep. simavr needs up to three more. */
        __asm__ __volatile__("nop\n\tnop\n\tnop");
        cli();
    }
    return queue[queue_out++ % QUEUE];
}

void port_write(uint8_t byte)
{
    while (!(UCSR0A & _BV(UDRE0)))
        ;
    UDR0 = byte;
}

/* ---- Span ----------------------------------------------------------------------- */

/* The linker's first address above .data and .bss; avr-libc's heap starts there. */
extern uint8_t __heap_start;
/* Top of the heap, if the image has malloc; 0 until its first call. */
extern uint8_t *__brkval __attribute__((weak));

enum { PAINT = 0xC5 };

static struct port_request request;
static uint16_t counter, stack;
static uint8_t counter_flags;
static uint16_t stack_base;

static uint8_t *heap_end(void)
{
    return &__brkval && __brkval ? __brkval : &__heap_start;
}

void port_prepare(const struct port_request *wanted)
{
    request = *wanted;
    counter = 0;
    counter_flags = 0;
    stack = PORT_STACK_UNKNOWN;
}

/* Everything from the heap to this function's own frame. The bytes between its frame and the
 * caller's count as used only if the span reaches deeper. */
static void paint(void)
{
    for (uint8_t *at = heap_end(); at < (uint8_t *)SP; at++)
        *at = PAINT;
}

static void measure_paint(void)
{
    uint16_t at = (uint16_t)heap_end();
    while (at < stack_base && *(uint8_t *)at == PAINT)
        at++;
    stack = (uint16_t)(stack_base - at + 1);
}

void port_span_open(uint16_t sp)
{
    stack_base = sp;
    if (request.paint_stack)
        paint();
#ifdef PORT_TRIGGER
    PORTB |= _BV(PORT_TRIGGER);
#endif
    TCCR1A = 0;
    TCCR1B = 0;
    TCNT1 = 0;
    TIFR1 = _BV(TOV1);
    GTCCR = _BV(PSRSYNC); /* restart the prescaler too */
    TCCR1B = TIMER_CLOCK;
}

void port_span_close(void)
{
    counter = TCNT1; /* read it while it runs: simulators lose the count of a stopped timer */
    TCCR1B = 0;
#ifdef PORT_TRIGGER
    PORTB &= (uint8_t)~_BV(PORT_TRIGGER);
#endif
    counter_flags = TIFR1 & _BV(TOV1) ? PORT_COUNTER_WRAPPED : 0;
    if (request.paint_stack)
        measure_paint();
}

void port_finish(struct port_result *result)
{
    result->counter = counter;
    result->counter_flags = counter_flags;
    result->cpu = 0;
    result->instructions = 0;
    result->repeats = 1;
    result->stack = stack;
    result->heap = (uint16_t)(heap_end() - &__heap_start);
}

int main(void)
{
    UBRR0 = BAUD_DIVIDER;
    UCSR0A = _BV(U2X0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00); /* 8 data bits, no parity, 1 stop bit */
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
#ifdef PORT_TRIGGER
    DDRB = _BV(PORT_TRIGGER);
#endif
    set_sleep_mode(SLEEP_MODE_IDLE);
    sleep_enable();
    agent_serve();
}
