/* The random generator of Zephyr, as a declaration. */
#include <stddef.h>
int sys_csrand_get(void *bytes, size_t size);
