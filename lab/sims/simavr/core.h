/*
 * Selo simavr runner: the instructions of the chip.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SELO_SIMAVR_CORE_H
#define SELO_SIMAVR_CORE_H

#include <simavr/sim_avr.h>

/*
 * Stack pointers that need no look: from `low` to the end of the RAM. A push, pop, call or return
 * that ends there writes the pointer without its callbacks. Whoever watches the stack pointer
 * raises `low`; above the end of the RAM, every change has its callback. Initially that is so.
 */
extern uint16_t core_stack_low;

/* Prepares for the program in avr's flash. Call it again when another image is loaded. */
void core_open(avr_t *avr);

/*
 * Executes instructions as simavr's avr_run_one does: until avr->run_cycle_count is used up, an
 * interrupt is due, or the chip sleeps or stops. Advances avr->cycle. Returns the next program
 * counter, in bytes, which the caller stores in avr->pc.
 */
avr_flashaddr_t core_run(avr_t *avr);

#endif
