/*
 * The parts common to both roles: a clock, a radio, a cipher. The first span between marks is the
 * start-up, from the reset to the end of begin. An empty span follows, which gives the cost of the
 * marks.
 */
#ifndef EXPERIMENT_START_H
#define EXPERIMENT_START_H

/* `role` starts the parts of the role. Interrupts are on afterwards. */
void begin(void (*role)(void));

#endif
