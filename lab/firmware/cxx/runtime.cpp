/*
 * What C++ needs of a runtime: new, delete, and where a call of a method that is only
 * promised ends. Weak, so that a library with its own, or a PC's, is used instead.
 */
#include <stddef.h>
#include <stdlib.h>

#define WEAK __attribute__((weak))

WEAK void *operator new(size_t size) { return malloc(size); }
WEAK void *operator new[](size_t size) { return malloc(size); }
WEAK void operator delete(void *memory) noexcept { free(memory); }
WEAK void operator delete[](void *memory) noexcept { free(memory); }
WEAK void operator delete(void *memory, size_t) noexcept { free(memory); }
WEAK void operator delete[](void *memory, size_t) noexcept { free(memory); }

extern "C" {
WEAK void __cxa_pure_virtual(void) { abort(); }
WEAK void __cxa_deleted_virtual(void) { abort(); }
}
