/*
 * Interrupts: AVR's own header there. Elsewhere none ever comes, and a handler is an ordinary
 * function.
 */
#ifdef __AVR__
#include_next <avr/interrupt.h>
#elif !defined(SELO_LAB_INTERRUPT_H)
#define SELO_LAB_INTERRUPT_H

#define ISR(vector, ...) static void __attribute__((unused)) vector##_handler(void)
#define SIGNAL(vector) ISR(vector)
#define cli() ((void)0)
#define sei() ((void)0)

#endif
