/* The kernel of Zephyr, as declarations. */
#include <stdint.h>
int32_t k_msleep(int32_t milliseconds);
void printk(const char *format, ...);
