/* The random generator of ESP-IDF, as a declaration. */
#include <stddef.h>
void esp_fill_random(void *bytes, size_t size);
