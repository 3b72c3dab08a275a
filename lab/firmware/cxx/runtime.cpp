/*
 * The parts of the C++ runtime that a library needs: new, delete, the handler of a call of a pure
 * virtual method, and the object by which a header opens the standard streams, which no measured
 * code uses. All are weak, so a library's own or a PC's are used instead.
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

/* std::ios_base::Init of <iostream>: its constructor and its destructor. */
WEAK void _ZNSt8ios_base4InitC1Ev(void *object) { (void)object; }
WEAK void _ZNSt8ios_base4InitD1Ev(void *object) { (void)object; }
}
