/*
 * What the platform can do, named as capabilities; no other file of the library
 * tests for a chip, native/native.h excepted, which has the switches of what is in
 * assembly. Every capability can be set from the command line.
 *
 *  SELO_FLASH_TABLES  constants live in a separate flash address space and are
 *                     read by special instructions (AVR lpm); else 0
 *  SELO_WIDE_PRODUCTS the compiler's products of 64 bits take no branch that depends on
 *                     their values. They do on ARMv6-M and on Xtensa; else 1
 *  SELO_WIDE_SUMS     the same of sums of 64 bits: they do on Xtensa
 */
#ifndef SELO_COMMON_PLATFORM_H
#define SELO_COMMON_PLATFORM_H

#include <stdint.h>

#ifndef SELO_FLASH_TABLES
#if defined(__AVR__)
#define SELO_FLASH_TABLES 1
#else
#define SELO_FLASH_TABLES 0
#endif
#endif

#ifndef SELO_WIDE_SUMS
#if defined(__XTENSA__)
#define SELO_WIDE_SUMS 0
#else
#define SELO_WIDE_SUMS 1
#endif
#endif

#ifndef SELO_WIDE_PRODUCTS
#if defined(__thumb__) && !defined(__thumb2__)
#define SELO_WIDE_PRODUCTS 0
#else
#define SELO_WIDE_PRODUCTS SELO_WIDE_SUMS
#endif
#endif

/* SELO_STACK_APART: the function is not inlined. A compiler reserves what a function and all
 * that is inlined into it keep on the stack when it is entered; apart, a hash state is gone
 * before a scalar multiplication begins. */
#ifdef __GNUC__
#define SELO_STACK_APART __attribute__((noinline))
#else
#define SELO_STACK_APART
#endif

/* A constant table: static const uint8_t name[n] SELO_FLASH = {...}; read with selo_flash_*(). */
#if SELO_FLASH_TABLES
#include <avr/pgmspace.h>
#define SELO_FLASH PROGMEM
static inline uint8_t selo_flash_u8(const uint8_t *address) { return pgm_read_byte(address); }
static inline uint32_t selo_flash_u32(const uint32_t *address) { return pgm_read_dword(address); }
static inline uint64_t selo_flash_u64(const uint64_t *address)
{
    const uint32_t *half = (const uint32_t *)(const void *)address;
    return (uint64_t)pgm_read_dword(half) | (uint64_t)pgm_read_dword(half + 1) << 32;
}
#else
#define SELO_FLASH
static inline uint8_t selo_flash_u8(const uint8_t *address) { return *address; }
static inline uint32_t selo_flash_u32(const uint32_t *address) { return *address; }
static inline uint64_t selo_flash_u64(const uint64_t *address) { return *address; }
#endif

#endif
