/*
 * All extensions to C11 that the library uses. Each is behind a macro that is empty, or standard
 * C, on a compiler without it. The code is correct without them. They only affect speed and stack.
 * SELO_PLAIN_C=1 (native/api.h) turns them off on a compiler that has them.
 *
 *  SELO_STACK_APART    the function is not inlined. On entry to a function the compiler reserves
 *                      the stack of everything inlined into it. A function that is not inlined
 *                      frees its stack, such as a hash state, before the next one runs
 *  SELO_INLINE         static inline, inlined even when optimising for size
 *  SELO_ALIGNED_256    the object begins at a multiple of 256
 *  SELO_BARRIER()      memory accesses do not move across it
 *  SELO_KEEP(p)        the compiler must assume that the bytes at p are read here
 *  SELO_OPAQUE(x)      the compiler forgets the origin of x's value. It then neither merges two
 *                      shifts into a slow one nor keeps bytes that are loaded again. Bytewise
 *                      code only
 *  SELO_BASE(p)        the same for a pointer, which is also kept in a register that can address
 *                      with a displacement (AVR: Y or Z, not X)
 *  SELO_PREFER_Z(p)    the pointer is in Z from here on (AVR). Its value does not change
 *  SELO_APART          as SELO_STACK_APART, in bytewise code only: there the pointers of a
 *                      function get such a register only if the function is not inlined
 *  SELO_BIG_ENDIAN(x)  a word whose bytes in memory are those of x, the highest first. Not defined
 *                      where the byte order is unknown
 *  SELO_TARGET(list)   the function may use these instructions of x86-64 (SELO_X86)
 *  SELO_CPU_HAS(name)  asks the CPU that runs the program for one of them (SELO_X86)
 *  selo_u32x4          a vector of four words; selo_shuffle(x, y, i, j, k, l) has four of the eight
 *                      words of x and y (SELO_VECTORS)
 *  selo_wide_product   an integer of 128 bits (SELO_X25519_WIDE, SELO_POLY1305_WIDE)
 *  selo_any_word       a word that may be part of an object of any type; with SELO_GNU only
 *  selo_column, selo_column_bits
 *                      a signed and an unsigned integer of 24 bits or more (column.h)
 */
#ifndef SELO_COMMON_COMPILER_H
#define SELO_COMMON_COMPILER_H

#include <stdint.h>

#include "../native/api.h"

#if defined(__GNUC__) && !SELO_PLAIN_C
#define SELO_GNU 1
#else
#define SELO_GNU 0
#endif

#if SELO_GNU
#define SELO_STACK_APART __attribute__((noinline))
#define SELO_UNUSED __attribute__((unused))
#define SELO_INLINE static inline __attribute__((always_inline))
#define SELO_ALIGNED_256 __attribute__((aligned(256)))
#define SELO_BARRIER() __asm__ volatile("" ::: "memory")
#define SELO_KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")
typedef uint32_t __attribute__((may_alias)) selo_any_word;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SELO_BIG_ENDIAN(x) __builtin_bswap32(x)
#elif defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SELO_BIG_ENDIAN(x) (x)
#endif
#else
#define SELO_STACK_APART
#define SELO_UNUSED
#define SELO_INLINE static inline
#define SELO_ALIGNED_256
#define SELO_BARRIER() ((void)0)
#endif

#if SELO_GNU && SELO_BYTEWISE
#define SELO_OPAQUE(x) __asm__("" : "+r"(x))
#define SELO_APART SELO_STACK_APART
#else
#define SELO_OPAQUE(x) ((void)0)
#define SELO_APART
#endif

#if SELO_GNU && SELO_BYTEWISE && SELO_FLASH_TABLES
#define SELO_BASE(p) __asm__("" : "+b"(p))
#else
#define SELO_BASE(p) SELO_OPAQUE(p)
#endif

#if SELO_GNU && SELO_FLASH_TABLES
#define SELO_PREFER_Z(p) __asm__("" : "+z"(p))
#else
#define SELO_PREFER_Z(p) ((void)0)
#endif

#if SELO_X86
#define SELO_TARGET(list) __attribute__((target(list)))
#define SELO_CPU_HAS(name) __builtin_cpu_supports(name)
#endif

#if SELO_VECTORS
typedef uint32_t selo_u32x4 __attribute__((vector_size(16)));
#if defined(__clang__)
#define selo_shuffle(x, y, i, j, k, l) __builtin_shufflevector(x, y, i, j, k, l)
#else
#define selo_shuffle(x, y, i, j, k, l) __builtin_shuffle(x, y, (selo_u32x4){i, j, k, l})
#endif
#endif

#if SELO_X25519_WIDE || SELO_POLY1305_WIDE
__extension__ typedef unsigned __int128 selo_wide_product;
#endif

#if SELO_GNU && defined(__INT24_MAX__)
typedef __int24 selo_column;
typedef __uint24 selo_column_bits;
#else
typedef int32_t selo_column;
typedef uint32_t selo_column_bits;
#endif

#endif
