/*
 * The parts of the C++ runtime that a library needs: new, delete, and the handler of a call of a pure
 * virtual method. All are weak, so a library's own or a PC's are used instead.
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
