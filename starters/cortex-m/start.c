/*
 * The vector table and the start of the program: copies the variables with values to RAM, zeroes the
 * others, and calls main.
 */
#include <stdint.h>

extern uint32_t data_source, data_start, data_end, zero_start, zero_end, stack_top;
int main(void);

void start(void);
void start(void)
{
    const uint32_t *from = &data_source;
    for (uint32_t *to = &data_start; to < &data_end; to++)
        *to = *from++;
    for (uint32_t *to = &zero_start; to < &zero_end; to++)
        *to = 0;
    main();
    for (;;) {
    }
}

static void halt(void)
{
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static void *const vectors[16] = {
    &stack_top, (void *)start, (void *)halt, (void *)halt,
};
