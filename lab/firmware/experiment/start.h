/*
 * What both roles have: a clock, a radio, a cipher. The start-up is the first span that
 * the marks make, from the reset to begin's end; an empty span follows, which says what
 * marks cost.
 */
#ifndef EXPERIMENT_START_H
#define EXPERIMENT_START_H

/* `role` begins what is the role's own. Interrupts are on afterwards. */
void begin(void (*role)(void));

#endif
