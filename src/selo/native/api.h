/*
 * The target: its capabilities, and the kernels that replace C on it.
 *
 * No other file of the library checks the compiler's target. The command line can set each macro.
 * The first two parts have macros only, because the assembler also reads them.
 *
 * Capabilities
 *  SELO_BYTEWISE        1 where code on bytes and 32-bit halves is faster than code on uint64_t:
 *                       8-bit CPUs. Needs little-endian memory
 *  SELO_FLASH_TABLES    1 where constants are in a separate flash address space and need special
 *                       instructions to read (AVR lpm)
 *  SELO_WIDE_SUMS       0 where the compiler makes branches of 64-bit sums (Xtensa)
 *  SELO_WIDE_PRODUCTS   0 where the compiler makes branches of 64-bit products (ARMv6-M, Xtensa),
 *                       and where the instruction for them stops early for small numbers
 *                       (Cortex-M3)
 *  SELO_AES_TABLES      1 for AES with S-boxes in tables, which takes constant time only where no
 *                       cache lies between the core and the tables. The default is 0 but on 8-bit
 *                       CPUs. The library cannot see a cache: one core is in chips with and
 *                       without one. With SELO_AES_WIDE the tables are compiled for tests only
 *  SELO_AES_WORDS       1 for such tables of words, 1 KB to encrypt, and columns in words. The
 *                       default is 1 on CPUs with 32 bits, and 0 with SELO_AES_SMALL=1
 *  SELO_X25519_WORDS    1 where the CPU multiplies 32 by 32 bits well
 *  SELO_X25519_WIDE     1 where it multiplies 64 by 64 bits, and the compiler has unsigned __int128
 *  SELO_X25519_HALVES   1 to give X25519's words 16 bits
 *  SELO_MLKEM_WORDS     1 for ML-KEM on words of 32 bits
 *  SELO_POLY1305_HALVES 1 to give Poly1305's words 13 bits
 *  SELO_WIDE            1 on a little-endian CPU with words of 64 bits. Such CPUs have caches, so the
 *                       code for them reads no table at a secret index
 *  SELO_STRICT_WORDS    1 on a core that loads a word from a multiple of its size only. A compiler
 *                       makes single bytes of words there, unless it knows that they are aligned
 *  SELO_VECTORS         1 where such a CPU always has vectors of 16 bytes
 *  SELO_NEON            1 where such a CPU has the vectors of AArch64
 *  SELO_ARM_AES         1 where it also has the instructions of AArch64 for AES and for products of
 *                       polynomials
 *  SELO_X86             1 to use instructions of x86-64 that not every CPU has, after a question
 *                       at run time whether this one has them
 *
 * Kernels in C for CPUs with words of 64 bits. The default is SELO_WIDE, and 0 chooses the code for
 * smaller CPUs
 *  SELO_AES_WIDE        AES without tables
 *  SELO_GHASH_WIDE      GHASH in vectors, or with instructions for products of polynomials. Only
 *                       where SELO_NEON or SELO_X86 is 1
 *  SELO_KECCAK_WIDE     Keccak-f[1600] with its lanes in variables
 *  SELO_SHA2_WIDE       SHA-256 and SHA-512 unrolled
 *  SELO_BLAKE2S_WIDE    BLAKE2s in vectors of four words: AArch64 and x86-64
 *  SELO_CHACHA20_WIDE   ChaCha20 in vectors of four words: AArch64 and x86-64
 *  SELO_POLY1305_WIDE   Poly1305 in words of 64 bits. Needs unsigned __int128
 *
 * Kernels
 *  SELO_NATIVE          0 for C only. The default is 1 where a backend exists: AVR with mul, movw
 *                       and lpm Rd, Z; ARM's M profile, little-endian, with GCC's or Clang's
 *                       assembler; RV32I with GCC's or Clang's assembler; Xtensa with
 *                       the call0 ABI and GCC's assembler
 *  SELO_NATIVE_AES, ... the same for one algorithm. The default is SELO_NATIVE, unless the backend
 *                       declines or has no such kernel; the portable C is used then
 *  SELO_NATIVE_AES_ENCRYPT  the same for selo_aes_fast_encrypt alone, on Xtensa and ARM from
 *                       Cortex-M3 on, with SELO_AES_TABLES=1
 *  SELO_NATIVE_MLKEM_PAIRS  the same for the packed form and the noise of ML-KEM, on ARM with the DSP
 *                       extension
 *  SELO_NATIVE_POLY1305_HALVES  the same for Poly1305 with words of 13 bits, on
 *                       ARMv6-M and Xtensa
 *  SELO_AES_SBOX_IN_RAM 1 for AVR's kernels of AES with the S-box in RAM, which they read in 2 cycles
 *                       in place of 3: 256 bytes, and 256 more where a program decrypts.
 *                       Elsewhere, with SELO_AES_TABLES=1, all tables of AES are in RAM, for chips
 *                       with a cache in front of their flash and none in front of their RAM
 *  SELO_KECCAK_SMALL, SELO_SHA256_SMALL, SELO_SHA512_SMALL, SELO_X25519_SMALL, SELO_P256_SMALL,
 *  SELO_AES_SMALL       1 for a smaller and slower kernel, where flash is scarcer than time. The C
 *                       of AES without tables is smaller than its kernels, and replaces them.
 *                       SELO_X25519_SMALL also removes the table of key generation
 *  SELO_X25519_DIVSTEPS 1 to invert with division steps, 0 with squarings, which need less flash
 *  SELO_X25519_TABLE    0 removes that table; key generation then runs the ladder
 *  SELO_X25519_TEETH    5, 4 or 3: the table has 16, 8 or 4 entries of 96 bytes, and the
 *                       computation has 51, 64 or 85 columns
 *
 *  SELO_P256_TEETH      6, 5 or 4: the table of P-256's base point has 32, 16 or 8 entries of 64 bytes,
 *                       and the computation has 43, 52 or 64 columns. The default is 5, or 4 with
 *                       SELO_P256_SMALL
 *
 * It is an error to request a kernel that the target does not have.
 */
#ifndef SELO_NATIVE_API_H
#define SELO_NATIVE_API_H

/* ---- Capabilities -------------------------------------------------------------------------- */

/* 1 where int has 16 bits. Headers of some C libraries hold declarations that an assembler
 * refuses; the compilers that preprocess assembly define the size themselves. */
#if defined(__ASSEMBLER__)
#define SELO_INT_IS_16 (__SIZEOF_INT__ == 2)
#else
#include <limits.h>
#define SELO_INT_IS_16 (UINT_MAX == 0xFFFF)
#endif

/* 1 for standard C11 only, on any compiler (common/compiler.h). */
#ifndef SELO_PLAIN_C
#define SELO_PLAIN_C 0
#endif

#ifndef SELO_BYTEWISE
#if SELO_INT_IS_16 && defined(__BYTE_ORDER__)
#define SELO_BYTEWISE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#else
#define SELO_BYTEWISE 0
#endif
#endif

#ifndef SELO_FLASH_TABLES
#if defined(__AVR__) && !SELO_PLAIN_C
#define SELO_FLASH_TABLES 1
#else
#define SELO_FLASH_TABLES 0
#endif
#elif SELO_FLASH_TABLES && (SELO_PLAIN_C || !defined(__AVR__))
#error "SELO_FLASH_TABLES=1, but this compiler has no address space for flash"
#endif

#ifndef SELO_WIDE_SUMS
#if defined(__XTENSA__)
#define SELO_WIDE_SUMS 0
#else
#define SELO_WIDE_SUMS 1
#endif
#endif

#ifndef SELO_WIDE_PRODUCTS
#if (defined(__thumb__) && !defined(__thumb2__)) || defined(__ARM_ARCH_7M__)
#define SELO_WIDE_PRODUCTS 0
#else
#define SELO_WIDE_PRODUCTS SELO_WIDE_SUMS
#endif
#endif

#ifndef SELO_WIDE
#if defined(__SIZEOF_POINTER__) && defined(__BYTE_ORDER__) && !SELO_PLAIN_C && !SELO_BYTEWISE
#define SELO_WIDE (__SIZEOF_POINTER__ == 8 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#else
#define SELO_WIDE 0
#endif
#endif
#ifndef SELO_STRICT_WORDS
#if defined(__GNUC__) && !SELO_PLAIN_C && !SELO_BYTEWISE && !SELO_WIDE && \
    !defined(__ARM_FEATURE_UNALIGNED) && !defined(__i386__) && !defined(__x86_64__)
#define SELO_STRICT_WORDS 1
#else
#define SELO_STRICT_WORDS 0
#endif
#endif
#ifndef SELO_NEON
#if defined(__aarch64__) && defined(__ARM_NEON)
#define SELO_NEON SELO_WIDE
#else
#define SELO_NEON 0
#endif
#endif
#ifndef SELO_ARM_AES
#if defined(__ARM_FEATURE_AES) || defined(__ARM_FEATURE_CRYPTO)
#define SELO_ARM_AES SELO_NEON
#else
#define SELO_ARM_AES 0
#endif
#endif
#ifndef SELO_X86
#if defined(__x86_64__)
#define SELO_X86 SELO_WIDE
#else
#define SELO_X86 0
#endif
#endif
#ifndef SELO_AES_WIDE
#ifdef SELO_AES_TABLES
#define SELO_AES_WIDE (SELO_WIDE && !SELO_AES_TABLES)
#else
#define SELO_AES_WIDE SELO_WIDE
#endif
#endif
#ifndef SELO_AES_TABLES /* with SELO_AES_WIDE only the tests call the code with tables */
#define SELO_AES_TABLES (SELO_BYTEWISE || SELO_AES_WIDE)
#endif
#ifndef SELO_GHASH_WIDE
#define SELO_GHASH_WIDE (SELO_WIDE && (SELO_NEON || SELO_X86))
#endif
#ifndef SELO_VECTORS
#if defined(__aarch64__) || defined(__x86_64__)
#define SELO_VECTORS SELO_WIDE
#else
#define SELO_VECTORS 0
#endif
#endif
#ifndef SELO_KECCAK_WIDE
#define SELO_KECCAK_WIDE SELO_WIDE
#endif
#ifndef SELO_SHA2_WIDE
#define SELO_SHA2_WIDE SELO_WIDE
#endif
#ifndef SELO_BLAKE2S_WIDE
#define SELO_BLAKE2S_WIDE SELO_VECTORS
#endif
#ifndef SELO_CHACHA20_WIDE
#define SELO_CHACHA20_WIDE SELO_VECTORS
#endif
#ifndef SELO_POLY1305_WIDE
#if defined(__SIZEOF_INT128__)
#define SELO_POLY1305_WIDE (SELO_WIDE && SELO_WIDE_PRODUCTS)
#else
#define SELO_POLY1305_WIDE 0
#endif
#endif

#ifndef SELO_MLKEM_WORDS
#define SELO_MLKEM_WORDS (!SELO_BYTEWISE)
#endif
#ifndef SELO_X25519_WORDS
#define SELO_X25519_WORDS (!SELO_INT_IS_16)
#endif
#ifndef SELO_X25519_WIDE
#if defined(__SIZEOF_INT128__) && \
    (defined(__aarch64__) || defined(__x86_64__) || (defined(__riscv_mul) && __riscv_xlen == 64))
#define SELO_X25519_WIDE SELO_WIDE
#else
#define SELO_X25519_WIDE 0
#endif
#endif
#ifndef SELO_X25519_HALVES
#define SELO_X25519_HALVES !SELO_WIDE_PRODUCTS
#endif
/* ---- Kernels ------------------------------------------------------------------------------- */

/* The backend is native/avr. lpm reads its tables, as it does those of the C code. On a chip with
 * more than 64 KB of flash the linker places them where lpm can read. */
#if defined(__AVR_HAVE_MUL__) && defined(__AVR_HAVE_LPMX__) && !defined(__AVR_TINY__) && \
    !defined(__AVR_XMEGA__)
#define SELO_BACKEND_AVR 1
#else
#define SELO_BACKEND_AVR 0
#endif

/* The backends are native/armv6m, whose code runs on every core of the M profile, native/armv7m,
 * for cores with 32-bit Thumb instructions (from Cortex-M3 on), and native/armv7em, for cores with
 * UMAAL (Cortex-M4, M7, M33). __ARM_ARCH_PROFILE is a letter. */
#if defined(__ARM_ARCH_PROFILE) && defined(__GNUC__) && !defined(__ARM_BIG_ENDIAN) && !SELO_PLAIN_C
#define SELO_BACKEND_ARM (__ARM_ARCH_PROFILE == 'M')
#else
#define SELO_BACKEND_ARM 0
#endif
#if SELO_BACKEND_ARM && __ARM_ARCH_ISA_THUMB >= 2
#define SELO_BACKEND_THUMB2 1
#else
#define SELO_BACKEND_THUMB2 0
#endif
#define SELO_BACKEND_THUMB1 (SELO_BACKEND_ARM && !SELO_BACKEND_THUMB2)
#if SELO_BACKEND_ARM && defined(__ARM_FEATURE_DSP)
#define SELO_BACKEND_UMAAL 1
#else
#define SELO_BACKEND_UMAAL 0
#endif

#if defined(__riscv_32e) || defined(__riscv_e)
#define SELO_RISCV_16_REGISTERS 1
#else
#define SELO_RISCV_16_REGISTERS 0
#endif
/* The backend is native/riscv32, for RV32I with its 32 registers. Its kernels of X25519,
 * GHASH and Poly1305 need a multiplier (M or Zmmul). */
#if defined(__riscv) && defined(__GNUC__) && !SELO_PLAIN_C
#define SELO_BACKEND_RISCV32 (__riscv_xlen == 32 && !SELO_RISCV_16_REGISTERS)
#else
#define SELO_BACKEND_RISCV32 0
#endif
/* 1 where they may rotate, and use the other instructions that Zbb and Zbkb have. */
#if defined(__riscv_zbb) || defined(__riscv_zbkb)
#define SELO_RISCV_ROTATES 1
#else
#define SELO_RISCV_ROTATES 0
#endif
#if SELO_BACKEND_RISCV32 && defined(__riscv_mul)
#define SELO_BACKEND_RISCV32_MUL 1
#else
#define SELO_BACKEND_RISCV32_MUL 0
#endif

/* The backend is native/xtensa, for little-endian cores whose calls do not turn register windows,
 * such as the LX106 of ESP8266. Its kernels of X25519 and GHASH need the instructions of MUL16. */
#if defined(__XTENSA_CALL0_ABI__) && defined(__XTENSA_EL__) && defined(__GNUC__) && !SELO_PLAIN_C
#define SELO_BACKEND_XTENSA 1
#else
#define SELO_BACKEND_XTENSA 0
#endif

#ifdef SELO_NATIVE_AVR
#error "SELO_NATIVE_AVR is now SELO_NATIVE"
#endif

#ifndef SELO_NATIVE
#define SELO_NATIVE \
    ((SELO_BACKEND_AVR && SELO_FLASH_TABLES) || SELO_BACKEND_ARM || SELO_BACKEND_RISCV32 || \
     SELO_BACKEND_XTENSA)
#elif SELO_NATIVE && !SELO_BACKEND_AVR && !SELO_BACKEND_ARM && !SELO_BACKEND_RISCV32 && \
    !SELO_BACKEND_XTENSA
#error "SELO_NATIVE=1, but this target has no kernels"
#elif SELO_NATIVE && SELO_BACKEND_AVR && !SELO_FLASH_TABLES
#error "SELO_NATIVE=1, but the kernels need SELO_FLASH_TABLES=1"
#endif

/* The default of an algorithm that only AVR has a kernel for. */
#define SELO_NATIVE_ONLY_AVR (SELO_NATIVE && SELO_BACKEND_AVR)

#ifndef SELO_AES_SMALL
#define SELO_AES_SMALL 0
#endif
#ifndef SELO_NATIVE_AES /* without tables the C is smaller than the kernels */
#define SELO_NATIVE_AES \
    (SELO_AES_TABLES ? SELO_NATIVE_ONLY_AVR \
                     : (SELO_NATIVE && !SELO_BACKEND_AVR && !SELO_AES_SMALL))
#endif
/* one kernel of these */
#define SELO_HAS_AES_ENCRYPT \
    (SELO_NATIVE && (SELO_BACKEND_XTENSA || SELO_BACKEND_THUMB2) && SELO_AES_TABLES)
#ifndef SELO_NATIVE_AES_ENCRYPT
#define SELO_NATIVE_AES_ENCRYPT (SELO_HAS_AES_ENCRYPT && !SELO_AES_SMALL)
#endif
#ifndef SELO_NATIVE_ASCON
#define SELO_NATIVE_ASCON SELO_NATIVE
#endif
#ifndef SELO_NATIVE_BLAKE2S
#define SELO_NATIVE_BLAKE2S SELO_NATIVE
#endif
#ifndef SELO_NATIVE_CHACHA20
#define SELO_NATIVE_CHACHA20 SELO_NATIVE
#endif
#ifndef SELO_NATIVE_GHASH
#define SELO_NATIVE_GHASH \
    (SELO_NATIVE && (SELO_BACKEND_AVR || SELO_BACKEND_ARM || SELO_BACKEND_RISCV32_MUL || \
                     SELO_BACKEND_XTENSA))
#endif
#ifndef SELO_NATIVE_KECCAK
#define SELO_NATIVE_KECCAK SELO_NATIVE
#endif
#ifndef SELO_NATIVE_MLKEM
#define SELO_NATIVE_MLKEM \
    (SELO_BYTEWISE ? SELO_NATIVE_ONLY_AVR : (SELO_NATIVE && SELO_BACKEND_THUMB2 && SELO_MLKEM_WORDS))
#endif
#ifndef SELO_NATIVE_MLKEM_PAIRS /* these need pairs of halves of words */
#define SELO_NATIVE_MLKEM_PAIRS (SELO_NATIVE_MLKEM && SELO_BACKEND_UMAAL)
#elif SELO_NATIVE_MLKEM_PAIRS && !(SELO_NATIVE_MLKEM && SELO_BACKEND_UMAAL)
#error "SELO_NATIVE_MLKEM_PAIRS=1, but the kernels need SELO_NATIVE_MLKEM=1 and ARM's DSP extension"
#endif
#ifndef SELO_P256_SMALL
#define SELO_P256_SMALL 0
#endif
#ifndef SELO_NATIVE_P256 /* with SELO_P256_SMALL the C is smaller than the kernels for 32 bits */
#define SELO_NATIVE_P256 (SELO_NATIVE && (SELO_BACKEND_AVR || (SELO_BACKEND_UMAAL && !SELO_P256_SMALL)))
#endif
#ifndef SELO_NATIVE_POLY1305 /* AVR's kernel works on bytes only, those of ARM and RV32 on words only */
#if defined(SELO_POLY1305_HALVES) && SELO_POLY1305_HALVES
#define SELO_NATIVE_POLY1305 0
#else
#define SELO_NATIVE_POLY1305 \
    (SELO_BYTEWISE ? SELO_NATIVE_ONLY_AVR \
                   : (SELO_NATIVE && \
                      ((SELO_BACKEND_THUMB2 && !SELO_BACKEND_UMAAL) || \
                       (SELO_WIDE_PRODUCTS && (SELO_BACKEND_UMAAL || SELO_BACKEND_RISCV32_MUL)))))
#endif
#endif
#ifndef SELO_POLY1305_HALVES
#define SELO_POLY1305_HALVES (!SELO_BYTEWISE && !SELO_WIDE_PRODUCTS && !SELO_NATIVE_POLY1305)
#endif
/* 1 where the kernel wants the multiplier in parts of at most 15 bits. */
#define SELO_POLY1305_PARTS \
    (SELO_NATIVE_POLY1305 && SELO_BACKEND_THUMB2 && !SELO_BACKEND_UMAAL)
#ifndef SELO_NATIVE_POLY1305_HALVES
#define SELO_NATIVE_POLY1305_HALVES \
    (SELO_NATIVE && (SELO_BACKEND_THUMB1 || SELO_BACKEND_XTENSA) && SELO_POLY1305_HALVES)
#endif
#ifndef SELO_NATIVE_SHA256
#define SELO_NATIVE_SHA256 SELO_NATIVE
#endif
#ifndef SELO_NATIVE_SHA512
#define SELO_NATIVE_SHA512 SELO_NATIVE
#endif
#ifndef SELO_NATIVE_SPECK
#define SELO_NATIVE_SPECK SELO_NATIVE_ONLY_AVR
#endif
#ifndef SELO_X25519_SMALL
#define SELO_X25519_SMALL 0
#endif
#ifndef SELO_NATIVE_X25519 /* the C is smaller than the kernels for 32 bits */
#define SELO_NATIVE_X25519 \
    (SELO_NATIVE && (!SELO_BACKEND_RISCV32 || SELO_BACKEND_RISCV32_MUL) && \
     (SELO_BACKEND_AVR || !SELO_X25519_SMALL))
#elif SELO_NATIVE_X25519 && SELO_BACKEND_RISCV32 && !SELO_BACKEND_RISCV32_MUL
#error "SELO_NATIVE_X25519=1, but the kernels need a multiplier (-march=rv32im)"
#endif

#if !SELO_NATIVE && \
    (SELO_NATIVE_AES || SELO_NATIVE_ASCON || SELO_NATIVE_BLAKE2S || SELO_NATIVE_CHACHA20 || \
     SELO_NATIVE_GHASH || SELO_NATIVE_KECCAK || SELO_NATIVE_MLKEM || SELO_NATIVE_POLY1305 || SELO_NATIVE_SHA256 || \
     SELO_NATIVE_SHA512 || SELO_NATIVE_SPECK || SELO_NATIVE_X25519 || SELO_NATIVE_P256)
#error "a SELO_NATIVE_* is 1, but SELO_NATIVE is 0, or this target has no kernels"
#endif
#if !SELO_NATIVE_ONLY_AVR && \
    (SELO_NATIVE_SPECK || (!SELO_BACKEND_THUMB2 && SELO_NATIVE_MLKEM) || \
     (!SELO_BACKEND_UMAAL && SELO_NATIVE_P256) || \
     (!SELO_BACKEND_THUMB2 && !SELO_BACKEND_RISCV32_MUL && SELO_NATIVE_POLY1305) || \
     (SELO_BACKEND_RISCV32 && !SELO_BACKEND_RISCV32_MUL && SELO_NATIVE_GHASH))
#error "a SELO_NATIVE_* is 1, but this target has no kernel for that algorithm"
#endif

#if SELO_NATIVE_AES_ENCRYPT && !SELO_HAS_AES_ENCRYPT
#error "SELO_NATIVE_AES_ENCRYPT=1, but it needs SELO_AES_TABLES=1 on Xtensa, Cortex-M3 or a larger one"
#endif

#if SELO_NATIVE_POLY1305_HALVES && \
    !(SELO_NATIVE && (SELO_BACKEND_THUMB1 || SELO_BACKEND_XTENSA) && SELO_POLY1305_HALVES)
#error "SELO_NATIVE_POLY1305_HALVES=1, but the kernels are for 13 bits on ARMv6-M and Xtensa"
#endif

#if SELO_NATIVE_AES && SELO_AES_TABLES != SELO_BACKEND_AVR
#error "SELO_NATIVE_AES=1, but AVR's kernels need SELO_AES_TABLES=1, and the others need 0"
#endif

#ifndef SELO_AES_SBOX_IN_RAM
#define SELO_AES_SBOX_IN_RAM 0
#elif SELO_AES_SBOX_IN_RAM && (SELO_FLASH_TABLES ? !SELO_NATIVE_AES : !SELO_AES_TABLES)
#error "SELO_AES_SBOX_IN_RAM=1, but AVR's kernels of AES or, elsewhere, its tables are not used"
#endif

#ifndef SELO_AES_WORDS
#define SELO_AES_WORDS \
    (SELO_AES_TABLES && !SELO_BYTEWISE && !SELO_AES_WIDE && !SELO_AES_SMALL && !SELO_NATIVE_AES)
#elif SELO_AES_WORDS && (!SELO_AES_TABLES || SELO_AES_WIDE || SELO_NATIVE_AES)
#error "SELO_AES_WORDS=1, but it needs SELO_AES_TABLES=1 without a kernel of AES"
#endif

#ifndef SELO_KECCAK_SMALL
#define SELO_KECCAK_SMALL 0
#endif
#ifndef SELO_SHA256_SMALL
#define SELO_SHA256_SMALL 0
#endif
#ifndef SELO_SHA512_SMALL
#define SELO_SHA512_SMALL 0
#endif
#if !SELO_BACKEND_AVR && (SELO_KECCAK_SMALL || SELO_SHA256_SMALL || SELO_SHA512_SMALL)
#error "SELO_*_SMALL=1 chooses a smaller kernel, but this target has none"
#endif

#ifndef SELO_X25519_DIVSTEPS
#define SELO_X25519_DIVSTEPS \
    (SELO_X25519_WORDS && !SELO_X25519_WIDE && !SELO_X25519_SMALL && \
     !(SELO_NATIVE_X25519 && SELO_BACKEND_UMAAL))
#endif

#ifndef SELO_X25519_TABLE
#define SELO_X25519_TABLE !SELO_X25519_SMALL
#endif
#ifndef SELO_X25519_TEETH
#define SELO_X25519_TEETH 5
#elif SELO_X25519_TEETH < 3 || SELO_X25519_TEETH > 5
#error "SELO_X25519_TEETH is 3, 4 or 5"
#endif

#ifndef SELO_P256_TEETH
#define SELO_P256_TEETH (5 - SELO_P256_SMALL)
#elif SELO_P256_TEETH < 4 || SELO_P256_TEETH > 6
#error "SELO_P256_TEETH is 4, 5 or 6"
#endif

/* ---- The kernels' contracts ---------------------------------------------------------------------
 *
 * Each declaration serves a kernel and the C function that it replaces. On the backend's CPU the
 * time of a kernel does not depend on data. out may equal in. Other arguments must not overlap,
 * unless stated. The .S file states registers, cycles, flash and stack.
 */
#if !defined(__ASSEMBLER__)

#include <stddef.h>
#include <stdint.h>

/* SELO_NATIVE_AES on AVR replaces all of these that SELO_AES_TABLES=1 has, and also
 * selo_aes{128,192,256}_fast_setup and _tiny_setup of selo.h. Elsewhere it
 * replaces selo_aes_fast_encrypt, selo_aes_fast_decrypt and what is called selo_aes_sliced_....
 * One block with the whole key schedule [FIPS197, 5.1, 5.3]. rounds is 10, 12 or 14. round_keys
 * has 16 (rounds + 1) bytes. */
void selo_aes_fast_encrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                           uint8_t rounds);
void selo_aes_fast_decrypt(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                           uint8_t rounds);
/* One block with the key schedule on the fly. key_size is 16, 24 or 32. */
void selo_aes_tiny_encrypt(const uint8_t *key, uint8_t out[16], const uint8_t in[16],
                           uint8_t key_size);
/* Without tables. Round keys have the form that aes_sliced.h describes. */
void selo_aes_sliced_setup(uint8_t *round_keys, const uint8_t *raw, uint8_t key_size);
void selo_aes_sliced_encrypt_two(const uint8_t *round_keys, uint8_t out[32], const uint8_t in[32],
                                 uint8_t rounds);
void selo_aes_sliced_decrypt_two(const uint8_t *round_keys, uint8_t out[32], const uint8_t in[32],
                                 uint8_t rounds);
#if SELO_NATIVE_AES && SELO_BACKEND_AVR /* in C, aes.h calls selo_aes_tiny_encrypt */
void selo_aes128_tiny_block(const uint8_t key[16], uint8_t out[16], const uint8_t in[16]);
#endif
/* first = the key; last = the Nk words after the schedule, with w[i] in slot i modulo Nk. */
void selo_aes_small_setup(uint8_t *first, uint8_t *last, const uint8_t *raw, uint8_t key_size);
/* Runs the schedule backwards from `last`. last_constant is the round constant that made it. */
void selo_aes_small_decrypt(const uint8_t *last, uint8_t out[16], const uint8_t in[16],
                            uint8_t key_size, uint8_t last_constant);

/* SELO_NATIVE_ASCON: Ascon-p[8] and Ascon-p[12]; rounds is 8 or 12 [SP800-232, 3]. */
void selo_ascon_permute(uint64_t state[5], uint8_t rounds);

/* SELO_NATIVE_BLAKE2S: the compression function F [RFC7693, 3.2]. `size` counts the bytes of
 * the message up to the end of this block, without padding; `last` is 0xffffffff for the last
 * block, else 0. */
void selo_blake2s_compress(uint32_t state[8], const uint8_t block[64], uint32_t size,
                           uint32_t last);

/* SELO_NATIVE_CHACHA20: the block function [RFC8439, 2.3]. The 64 bytes of key stream are in
 * `stream` in the order of their addresses. */
void selo_chacha20_block(uint32_t stream[16], const uint32_t state[16]);

/* SELO_NATIVE_GHASH: product = product * key in GF(2^128). The coefficient of x^0 is the
 * highest bit of byte 0 [SP800-38D, 6.3]. */
void selo_ghash_multiply(uint8_t product[16], const uint8_t key[16]);

/* SELO_NATIVE_KECCAK: Keccak-f[1600] [FIPS202, 3.3, 3.4]; lane (x, y) is lanes[x + 5 * y].
 * The kernel for 32-bit Thumb takes and leaves the lanes interleaved (sha3/sha3.h). */
void selo_keccak_f1600(uint64_t lanes[25]);

/* SELO_NATIVE_MLKEM: the transforms of ML-KEM [FIPS203, 4.3], as mlkem/mlkem.h and the C have them.
 * The bounds of the coefficients, in multiples of q: selo_mlkem_ntt takes up to 1 and gives up to
 * 9.6, selo_mlkem_inverse_ntt takes up to 3.3 and gives up to 1.3. With SELO_MLKEM_WORDS, poly is
 * aligned to 4 bytes, selo_mlkem_ntt gives up to 4.5 and selo_mlkem_inverse_ntt up to 0.5. */
void selo_mlkem_ntt(int16_t poly[256]);
void selo_mlkem_inverse_ntt(int16_t poly[256]);
#if SELO_MLKEM_WORDS
/* sum += a * b / 2^16 in `count` times four coefficients of two transformed polynomials, from quad
 * `first` on; quads is first + 256 count. Coefficients of a are up to 4.5 q, b is packed. Each sum gains
 * at most 1.07 q. */
void selo_mlkem_multiply_quads(int16_t *sum, const int16_t *a, const uint8_t *b, uint32_t quads);
/* Appends those of the 16 numbers of 12 bits in `stream` that are below q to the `filled` coefficients
 * that are there, at most 3, in place. Public data, in a time that does not depend on it. */
struct selo_mlkem_drawn {
    union {
        int16_t coefficients[20];
        struct {
            uint8_t before[16], stream[24];
        } bytes;
    } of;
    uint32_t filled;
};
void selo_mlkem_draw(struct selo_mlkem_drawn *drawn);
/* SELO_NATIVE_MLKEM_PAIRS: functions of mlkem/mlkem.h. poly and sum are aligned to 4 bytes. */
void selo_mlkem_pack(uint8_t packed[384], const int16_t poly[256]);
void selo_mlkem_expand_words(int16_t poly[256], const uint8_t small[256], uint8_t eta);
void selo_mlkem_add_small(int16_t sum[256], const uint8_t small[256]);
#else
/* sum += a * b / 2^16 in four coefficients of two transformed polynomials, of which a and b have
 * the packed bytes 6 quad to 6 quad + 5. Coefficients of a and b are below 4096. */
void selo_mlkem_multiply_add(int16_t sum[4], const uint8_t a[6], const uint8_t b[6], uint8_t quad);
#endif

/* SELO_NATIVE_POLY1305, SELO_NATIVE_POLY1305_HALVES: sum = (sum + block) * multiplier modulo
 * 2^130 - 5 [RFC8439, 2.5].
 * block is a little-endian number of 17 bytes, the last of which is 0 or 1. */
struct selo_poly1305;
void selo_poly1305_block(struct selo_poly1305 *mac, const uint8_t block[17]);
#if SELO_NATIVE_POLY1305 && !SELO_BYTEWISE /* the same with 1 or more blocks of 16 bytes and a 1 */
void selo_poly1305_blocks(struct selo_poly1305 *mac, const uint8_t *data, size_t blocks);
#endif

/* SELO_NATIVE_SHA256 and SELO_NATIVE_SHA512: compress one block, in the big-endian bytes of the
 * message, into the hash value [FIPS180-4, 6.2.2, 6.4.2]. The function keeps the message schedule
 * in the block, and so destroys it. */
void selo_sha256_compress(uint32_t state[8], uint32_t block[16]);
void selo_sha512_compress(uint64_t state[8], uint64_t block[16]);

/* SELO_NATIVE_SPECK [SPECK2013, 4.1, 4.2]. speck.h explains `material`; words is 2, 3 or 4.
 * One block with `rounds` consecutive round keys of 8 bytes. */
void selo_speck_encrypt_rounds(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                               uint8_t rounds);
void selo_speck_decrypt_rounds(const uint8_t *round_keys, uint8_t out[16], const uint8_t in[16],
                               uint8_t rounds);
/* One block with the key schedule on the fly, forwards from the key or backwards from the last
 * material. */
void selo_speck_encrypt_on_the_fly(const uint8_t *key, uint8_t out[16], const uint8_t in[16],
                                   uint8_t words);
void selo_speck_decrypt_on_the_fly(const uint8_t *last, uint8_t out[16], const uint8_t in[16],
                                   uint8_t words);
/* Runs the whole schedule: the first material becomes the last. */
void selo_speck_run_schedule(uint8_t *material, uint8_t words);
/* Computes all round keys. Before: the first round key is in its place, and the words l start at
 * SPECK_EXPAND_L. */
void selo_speck_expand(uint8_t *round_keys, uint8_t words);

/* SELO_NATIVE_P256: the functions of p256/field.h and p256_base.h with the same names and contracts.
 * An element is any 32 bytes. r may be a or b. */
void selo_p256_multiply_avr(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
void selo_p256_square_avr(uint8_t r[32], const uint8_t a[32]);
void selo_p256_add_avr(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
void selo_p256_subtract_avr(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
void selo_p256_add_times_avr(uint8_t r[32], const uint8_t a[32], const uint8_t b[32], int8_t times);
void selo_p256_lookup_avr(uint8_t entry[64], uint8_t index);
struct selo_p256_affine;
void selo_p256_choose_avr(struct selo_p256_affine *entry, const struct selo_p256_affine *points,
                          uint8_t index);
void selo_p256_transform_avr(uint8_t first[33], uint8_t second[33], const int8_t matrix[6],
                             const uint8_t *modulus);

/* The same on ARM cores with UMAAL. times is from -8 to 8. */
void selo_p256_multiply_arm(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
void selo_p256_add_times_arm(uint8_t r[32], const uint8_t a[32], const uint8_t b[32], int8_t times);

/* SELO_NATIVE_X25519: the functions of x25519/field.h and x25519_base.h with the same names and
 * contracts. An element is any 32 bytes. r may be a or b. */
void selo_field25519_multiply_avr(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
void selo_field25519_square_avr(uint8_t r[32], const uint8_t a[32]);
void selo_field25519_butterfly_avr(uint8_t a[32], uint8_t b[32]);
void selo_field25519_subtract_avr(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
void selo_field25519_add_121666_avr(uint8_t a[32], const uint8_t b[32]);
void selo_field25519_select_avr(uint8_t r[64], const uint8_t a[64], const uint8_t b[64],
                                uint8_t choice);
/* entry = entry `index` of the whole table, or of `table`, which has `entries` entries. */
void selo_x25519_lookup_avr(uint8_t entry[96], uint8_t index);
void selo_x25519_lookup_few_avr(uint8_t entry[96], uint8_t index, const uint8_t *table,
                                uint8_t entries);
/* The same on ARM, where elements are aligned to 4 bytes (SELO_FIELD25519_ALIGNMENT). */
void selo_field25519_multiply_arm(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
void selo_field25519_square_arm(uint8_t r[32], const uint8_t a[32]);
void selo_field25519_butterfly_arm(uint8_t a[32], uint8_t b[32]);
void selo_field25519_subtract_arm(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
void selo_field25519_add_121666_arm(uint8_t a[32], const uint8_t b[32]);
void selo_field25519_select_arm(uint8_t r[64], const uint8_t a[64], const uint8_t b[64],
                                uint8_t choice);
void selo_x25519_lookup_arm(uint8_t entry[96], uint8_t index);
/* The same on RV32, with the same alignment. */
void selo_field25519_multiply_riscv32(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
void selo_field25519_square_riscv32(uint8_t r[32], const uint8_t a[32]);
void selo_field25519_butterfly_riscv32(uint8_t a[32], uint8_t b[32]);
void selo_field25519_subtract_riscv32(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
void selo_field25519_add_121666_riscv32(uint8_t a[32], const uint8_t b[32]);
void selo_field25519_select_riscv32(uint8_t r[64], const uint8_t a[64], const uint8_t b[64],
                                    uint8_t choice);
void selo_x25519_lookup_riscv32(uint8_t entry[96], uint8_t index);
/* On ARM. The 251 steps of the ladder (x25519_ladder.c) for bits 253 to 3 of the scalar: points has
 * u, then the x and the z of p2, p3 and d; u is below 2^255, coordinates below 2^255 + 2^230.
 * r = a^(2^times) (field_invert.c). */
void selo_x25519_steps_arm(uint8_t points[224], const uint8_t scalar[32]);
void selo_field25519_square_times_arm(uint8_t r[32], const uint8_t a[32], uint32_t times);
void selo_field25519_apply_arm(int32_t pair[22], const int32_t halves[8]); /* on ARMv6-M */
/* A step of the ladder (x25519_ladder.c): points has u, then the x and the z of p2, p3 and d.
 * r = a^(2^times) (field_invert.c). */
void selo_x25519_step_riscv32(uint8_t points[224], uint8_t choice);
void selo_field25519_square_times_riscv32(uint8_t r[32], const uint8_t a[32], uint8_t times);
/* The same on Xtensa with MUL16, with the same alignment. */
void selo_field25519_multiply_xtensa(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
void selo_field25519_square_xtensa(uint8_t r[32], const uint8_t a[32]);
void selo_field25519_butterfly_xtensa(uint8_t a[32], uint8_t b[32]);
void selo_field25519_subtract_xtensa(uint8_t r[32], const uint8_t a[32], const uint8_t b[32]);
void selo_field25519_add_121666_xtensa(uint8_t a[32], const uint8_t b[32]);
void selo_field25519_select_xtensa(uint8_t r[64], const uint8_t a[64], const uint8_t b[64],
                                   uint8_t choice);
void selo_x25519_lookup_xtensa(uint8_t entry[96], uint8_t index);
void selo_field25519_square_times_xtensa(uint8_t r[32], const uint8_t a[32], uint8_t times);
/* The 251 steps of the ladder for bits 253 to 3 of the scalar. points as above. */
void selo_x25519_steps_xtensa(uint8_t points[224], const uint8_t scalar[32]);

#endif

#endif
