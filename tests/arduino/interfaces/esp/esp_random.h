/* The random generator of ESP32, as a declaration. */
#include <stddef.h>
extern "C" void esp_fill_random(void *bytes, size_t size);
